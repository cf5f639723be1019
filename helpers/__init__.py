"""What several chapters share: logging, toy environments, figures, timelines, exercise checks.

What a chapter teaches is written out in that chapter; these modules hold only what would distract from it.
"""
