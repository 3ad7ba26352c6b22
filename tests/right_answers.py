"""Right answers to the coded exercises in another form than the solution's: see wrong_answers."""

RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "ex-18-throw": [
        (
            "central differences in each step",
            "slopes = one_step(states[k] + around[:, :4], torques[k] + around[:, 4:]).imag @ p / h",
            "around = 1e-5 * np.eye(6)\n"
            "        ends = [one_step(states[k] + w[:, :4], torques[k] + w[:, 4:]) for w in (around, -around)]\n"
            "        slopes = (ends[0] - ends[1]) @ p / 2e-5",
        ),
    ],
    "ex-20-zeros": [
        (
            "in another order",
            '{"by zero": 22, "by one": 2,',
            '{"by one": 2, "by zero": 22,',
        ),
    ],
}
