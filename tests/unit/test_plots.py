from xml.etree import ElementTree as Xml

import pytest

from eval import plots

SVGS = {
    "ranks": plots.rank_histogram([1, 1, 3, None]),
    "no ranks": plots.rank_histogram([]),
    "rows": plots.interval_rows({"a <b> & c": (0.5, 0.25, 0.75)}, "MRR@10"),
    "curves": plots.share_curves({"near": [0.2, 0.9], "none": []}, "confidence"),
    "spread": plots.distributions({"near": [0.0, 1.0]}, "distance"),
    "no spread": plots.distributions({}, "distance"),
    "cost": plots.quality_and_cost({"mix": [(2500.0, 0.75)]}, {"default": (2500.0, 0.75)}),
    "no cost": plots.quality_and_cost({"mix": []}, {}),
}


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in Xml.fromstring(svg).iter("text")]  # noqa: S314 - our own


@pytest.mark.parametrize("name", SVGS)
def test_a_plot_is_well_formed_and_inside_its_frame(name: str) -> None:
    root = Xml.fromstring(SVGS[name])  # noqa: S314 - our own
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    places = [(float(one.attrib["x"]), float(one.attrib["y"])) for one in root.iter("text")]
    assert width == 360
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)


def test_ranks_are_counted_and_so_is_what_was_not_found() -> None:
    counts, labels = texts(SVGS["ranks"])[:-1:2], texts(SVGS["ranks"])[1:-1:2]
    assert dict(zip(labels, counts, strict=True)) == {
        **{str(n): "0" for n in range(1, 11)},
        "1": "2",
        "3": "1",
        "none": "1",
    }


def test_a_curve_falls_from_all_to_none() -> None:
    root = Xml.fromstring(plots.share_curves({"near": [0.5]}, "x"))  # noqa: S314 - our own
    [way] = [one.attrib["d"] for one in root.iter("path") if one.attrib["class"] == "line s1"][:1]
    heights = [float(point.split()[1]) for point in way[1:].split("L")]
    assert (heights[0], heights[50], heights[51], heights[100]) == (12, 12, 190, 190)


def test_a_kind_without_values_is_not_drawn() -> None:
    assert "none" not in texts(SVGS["curves"])
