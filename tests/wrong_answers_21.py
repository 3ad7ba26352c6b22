"""Answers to the coded exercises of chapter 27 that look right: see wrong_answers."""

WRONG: dict[str, list[tuple[str, str, str]]] = {
    # Chapter 27
    "ex-27-before": [
        ("not a power of two", '"block": 128', '"block": 242'),
        ("rounded up", '"block": 128', '"block": 256'),
        ("a 64th", '"chunk": 8192', '"chunk": 78_125'),
        ("a 64th in whole blocks", '"chunk": 8192', '"chunk": 78_208'),
        ("the number of chunks", '"chunk": 8192', '"chunk": 611'),
        ("one X for a state", '"GB of X": 43.2', '"GB of X": 1.44'),
        ("four bytes for a number", '"GB of X": 43.2', '"GB of X": 21.6'),
        ("half of the symmetric M", '"GB of results": 36', '"GB of results": 18.6'),
        ("a result like X", '"GB of results": 36', '"GB of results": 43.2'),
    ],
    "ex-27-change": [
        ("the chunk too", '{"a", "e", "g"}', '{"a", "c", "e", "g"}'),
        ("a function that is only called", '{"a", "e", "g"}', '{"a", "d", "e", "g"}'),
        ("more states", '{"a", "e", "g"}', '{"a", "e", "f", "g"}'),
        ("the folder is where it was", '{"a", "e", "g"}', '{"a", "e"}'),
        ("what may not", '{"a", "e", "g"}', '{"b", "c", "d", "f"}'),
        ("everything", '{"a", "e", "g"}', 'set("abcdefg")'),
        ("nothing", '{"a", "e", "g"}', "set()"),
    ],
    "ex-27-hold": [
        (
            "the posture of the largest of all",
            "i in worst",
            "i in 0 * worst + torque.max(1).argmax()",
        ),
        ("postures of another seed", "for i in worst]", "for i in worst + 1]"),
        ("angles from 0 to 1", "2 * np.pi * u - np.pi", "u"),
        ("half of the circle", "2 * np.pi * u - np.pi", "np.pi * u"),
        ("few postures", "count=count", "count=count // 100"),
        ("the mean", "return torque.max(0)", "return torque.mean(0)"),
        ("joints for postures", "np.concatenate([postures[i : i + 1] for i in worst])", "worst"),
    ],
    "ex-27-plane": [
        ("as in space", "plane_solved = 1", "plane_solved = 2"),
        ("one condition", "plane_solved = 1", "plane_solved = 0.5"),
        ("the exponent of the density", "plane_solved = 1", "plane_solved = 1.5"),
        ("a fit to few blows", "plane_solved = 1", "plane_solved = 1.15"),
        ("another fit", "plane_solved = 1", "plane_solved = 0.9"),
        ("negative", "plane_solved = 1", "plane_solved = -1"),
    ],
    "ex-27-lattice": [
        (
            "rational numbers",
            "np.sqrt([2, 3, 5, 7, 11, 13, 17, 19][:width])",
            "np.arange(1, width + 1) / 8",
        ),
        (
            "the same number on each axis",
            "np.sqrt([2, 3, 5, 7, 11, 13, 17, 19][:width])",
            "np.sqrt(2 * np.ones(width))",
        ),
        ("no fractional part", "self.alpha % 1", "self.alpha"),
        ("each slice from 0", "np.arange(start, stop)", "np.arange(stop - start)"),
        (
            "random",
            "np.arange(start, stop)[:, None] * self.alpha % 1",
            "np.random.default_rng(1).random((self.count, len(self.alpha)))[part]",
        ),
        ("the points and not the states", "return self.make(", "return ("),
        ("a length of one", "return self.count", "return 1"),
    ],
    "ex-27-motors": [
        ("the ratio once", "Drive(inertia, 100)", "Drive(100 * inertia)"),
        ("no gear", "Drive(inertia, 100)", "Drive(inertia)"),
        ("reflected twice", "Drive(inertia, 100)", "Drive(1e4 * inertia, 100)"),
        (
            "the first joint only",
            "for link in chain.links]",
            "for link in chain.links[:1]] + list(chain.links[1:])",
        ),
        (
            "heavier links",
            "drive=Drive(inertia, 100)",
            "inertia=link.inertia + 1e4 * inertia * np.eye(3)",
        ),
    ],
}
