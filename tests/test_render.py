from nbformat.v4 import new_output

from tools.render import whole


def test_what_was_printed_in_pieces_is_one_output_and_keeps_its_lines():
    pieces = [new_output("stream", text=text) for text in ("row 0:", " [1 2]\nrow", " 1\n")]
    shown = new_output("display_data", {"text/plain": "x"})
    warned = new_output("stream", name="stderr", text="careful\n")
    outputs = whole([*pieces, shown, new_output("stream", text="after\n"), warned])
    assert [output.get("text") for output in outputs] == ["row 0: [1 2]\nrow 1\n", None, "after\n", "careful\n"]
