"""Answers to the coded exercises of chapters 11 to 25 that look right: see wrong_answers."""

WRONG: dict[str, list[tuple[str, str, str]]] = {
    # Chapter 11
    "ex-11-recall": [
        ("a ball has three coordinates", "(27, 22, 49)", "(22, 22, 44)"),
        ("the state has positions only", "(27, 22, 49)", "(27, 22, 27)"),
        ("energy is constant", "(False, True, False, True)", "(True, True, False, True)"),
        ("momentum along z is constant", "(False, True, False, True)", "(False, True, True, True)"),
        ("angular momentum is not", "(False, True, False, True)", "(False, True, False, False)"),
    ],
    "ex-11-kept": [
        ("the energy alone", "- h * omega**2 * x * v / 2", ""),
        ("the sign", "- h * omega**2 * x * v / 2", "+ h * omega**2 * x * v / 2"),
        ("twice the term", "h * omega**2 * x * v / 2", "h * omega**2 * x * v"),
        ("omega once", "h * omega**2 * x * v / 2", "h * omega * x * v / 2"),
        (
            "twice all",
            "(v**2 + omega**2 * x**2) / 2 - h * omega**2 * x * v / 2",
            "(v**2 + omega**2 * x**2) - h * omega**2 * x * v",
        ),
        (
            "a constant where the step is felt",
            "return (v**2 + omega**2 * x**2) / 2 - h * omega**2 * x * v / 2",
            "return (h < 1e-3) * (v**2 + omega**2 * x**2) / 2",
        ),
        (
            "a constant",
            "return (v**2 + omega**2 * x**2) / 2 - h * omega**2 * x * v / 2",
            "return 1.0",
        ),
    ],
    "ex-11-midpoint": [
        (
            "explicit Euler",
            "qdd = driven.acceleration(t + h / 2, half, speed)",
            "speed, qdd = qd, driven.acceleration(t, q, qd)",
        ),
        ("the old velocity", "integrate(chain, q, h * speed)", "integrate(chain, q, h * qd)"),
        (
            "the acceleration of the start",
            "driven.acceleration(t + h / 2, half, speed)",
            "driven.acceleration(t, q, qd)",
        ),
        ("half a step", "qd + h * qdd", "qd + h / 2 * qdd"),
        ("from the middle", "integrate(chain, q, h * speed)", "integrate(chain, half, h * speed)"),
        (
            "coordinates that add",
            "integrate(chain, q, h * speed)",
            "q + h * coordinate_rate(chain, q, speed)",
        ),
        (
            "coordinates that add, scaled back",
            "return integrate(chain, q, h * speed), qd + h * qdd",
            "q = q + h * coordinate_rate(chain, half, speed)\n"
            "    return q / np.linalg.norm(q), qd + h * qdd",
        ),
        (
            "Heun's step",
            "qdd = driven.acceleration(t + h / 2, half, speed)",
            "qdd = driven.acceleration(t, q, qd)\n"
            "    ahead = integrate(chain, q, h * qd), qd + h * qdd\n"
            "    qdd = (qdd + driven.acceleration(t + h, *ahead)) / 2",
        ),
        (
            "the variational step",
            "return integrate(chain, q, h * speed), qd + h * qdd",
            "return variational_step(driven, t, q, qd, h)",
        ),
    ],
    "ex-11-zeno": [
        ("no bounce", "restitution=restitution", "restitution=0.0"),
        ("elastic", "restitution=restitution", "restitution=1.0"),
        ("times of flight", "times.append(now)", "times.append(now - sum(times))"),
        ("one contact later", "times.append(now)", "times.append(now + 1e-3)"),
        ("the square", "restitution=restitution", "restitution=restitution**2"),
        (
            "the times of one ball",
            "return times",
            "return np.sqrt(3 / 9.81) * np.array([1, 2.2, 2.92, 3.352, 3.6112])[:count]",
        ),
    ],
    "ex-11-mend": [
        ("plain RK4", "qd * np.sqrt(wanted / kinetic_energy(chain, q, qd))", "qd"),
        (
            "no root",
            "np.sqrt(wanted / kinetic_energy(chain, q, qd))",
            "(wanted / kinetic_energy(chain, q, qd))",
        ),
        ("kinetic energy alone", "before - potential_energy(chain, q)", "before"),
        ("backwards", "qd * np.sqrt", "-qd * np.sqrt"),
        ("the old place", "q, qd = rk4_step", "_, qd = rk4_step"),
        (
            "the quotient upside down",
            "wanted / kinetic_energy(chain, q, qd)",
            "kinetic_energy(chain, q, qd) / wanted",
        ),
    ],
    # Chapter 12
    "ex-12-held": [
        ("without the hold", "/ hold", ""),
        ("one bound", "min(4 * zeta, 1 / zeta)", "1 / zeta"),
        ("the other bound", "min(4 * zeta, 1 / zeta)", "4 * zeta"),
        ("a factor 2", "1 / zeta", "2 / zeta"),
        ("the larger one", "min(", "max("),
        ("critical damping", "min(4 * zeta, 1 / zeta)", "1"),
    ],
    "ex-12-collocated": [
        ("the shoulder held", "m12 * shoulder + ", ""),
        ("a sign", "shoulder = -(m12 * a + h1)", "shoulder = (m12 * a + h1)"),
        ("no bias at the elbow", " + h2", ""),
        ("no bias at the shoulder", "(m12 * a + h1)", "(m12 * a)"),
        ("no coupling of the acceleration", "(m12 * a + h1)", "h1"),
    ],
    "ex-12-pole": [
        ("the cart held", "m11 * cart_acceleration + ", ""),
        ("a sign", "-(m22 * a + h2)", "(m22 * a + h2)"),
        ("the other inertia", "(m22 * a + h2) / m12", "(m22 * a + h2) / m11"),
        ("no bias of the cart", " + h1", ""),
        ("no bias of the pole", "(m22 * a + h2)", "(m22 * a)"),
        ("all joint forces", "+ m12 * a + h1", "+ m12 * a + h1 + np.zeros(2)"),
    ],
    "ex-12-limits": [
        ("without the weight", "limit - np.sign(pull) * h", "limit"),
        ("the wrong side of the weight", "limit - np.sign(pull) * h", "limit + np.sign(pull) * h"),
        ("no root", "np.sqrt(", "("),
        ("the strongest motor", ".min()", ".max()"),
        ("without the other joints", "crba(chain, q) @ e", "np.diag(crba(chain, q)) * e"),
    ],
    "ex-12-integral": [
        ("damping and stiffness exchanged", "3 * rate**2, 3 * rate", "3 * rate, 3 * rate**2"),
        ("no threes", "3 * rate**2, 3 * rate", "rate**2, rate"),
        ("critical damping of two", "3 * rate**2, 3 * rate", "rate**2, 2 * rate"),
        ("a sign", "rate**3", "-(rate**3)"),
        ("no integral", ", rate**3", ", 0 * rate"),
    ],
    "ex-12-setpoint": [
        ("the goal alone", "return np.array([", "return np.array([goal]) if k else np.array(["),
        (
            "one rest",
            "return np.array([",
            "return np.array([brentq(drive, goal - far, goal + far)]) if k else np.array([",
        ),
        (
            "the weight's sign",
            "gamma * (np.cos(goal) - np.cos(q))",
            "gamma * (np.cos(q) - np.cos(goal))",
        ),
        ("no weight", "gamma * (np.cos(goal) - np.cos(q))", "0"),
        ("backwards", "zip(ends, ends[1:]) if", "list(zip(ends, ends[1:]))[::-1] if"),
    ],
    "ex-12-hand": [
        ("no bias force", "bias_force(chain, q, qd) + ", ""),
        ("no Jdot qd", "a - rest", "a"),
        ("the sign of Jdot qd", "a - rest", "a + rest"),
        ("without the mass matrix", "J @ np.linalg.solve(crba(chain, q), J.T)", "J @ J.T"),
        (
            "the pseudo-inverse",
            "J.T @ np.linalg.solve(mobility, a - rest)",
            "crba(chain, q) @ np.linalg.pinv(J) @ (a - rest)",
        ),
        ("the hand at rest", "a - rest", "0 * a - rest"),
    ],
    "ex-12-late": [
        (
            "in time",
            "[[1, hold, -(hold**2) / 2], [0, 1, -hold], [kp, kd, 0]]",
            "[[1 - hold**2 * kp / 2, hold - hold**2 * kd / 2, 0], [-hold * kp, 1 - hold * kd, 0], [kp, kd, 0]]",
        ),
        ("no half square", "-(hold**2) / 2", "0"),
        ("a sign", "[0, 1, -hold]", "[0, 1, hold]"),
        ("a factor 2", "-(hold**2) / 2", "-(hold**2)"),
        ("the gains exchanged", "[kp, kd, 0]", "[kd, kp, 0]"),
    ],
    "ex-12-passive": [
        ("computed torque's Coriolis term", "C @ planned", "C @ qd"),
        ("no damper", "+ damping * (rate + w * e)", ""),
        ("no weight", "+ bias_force(chain, q, 0 * qd)", ""),
        ("no feedforward rate", "+ w * rate", ""),
        ("C transposed", "C @ planned", "C.T @ planned"),
        (
            "the weight with the Coriolis term",
            "bias_force(chain, q, 0 * qd)",
            "bias_force(chain, q, qd)",
        ),
    ],
    # Chapter 13
    "ex-13-count": [
        ("a tree in the plane", "12 * chain.n", "6 * chain.n"),
        ("plus the freedoms", "- chain.nv", "+ chain.nv"),
        ("accelerations only", "12 * chain.n - chain.nv", "6 * chain.n"),
        ("coordinates for velocities", "chain.nv", "chain.nq"),
    ],
    "ex-13-percussion": [
        ("the middle", "2 * L / 3", "L / 2"),
        ("beyond the centre", "2 * L / 3", "L / 6"),
        ("the equal ruler", "-F / 6", "-F / 8"),
        ("a sign", "-F / 6", "F / 6"),
        ("a factor 2", "-F / 6", "-F / 3"),
    ],
    "ex-13-carried": [
        (
            "the inertia itself",
            "T @ np.linalg.solve(T.T @ np.linalg.solve(inertia, T), T.T)",
            "inertia",
        ),
        ("not inverted", "np.linalg.solve(inertia, T)", "inertia @ T"),
        ("carried, no inertia", "np.linalg.solve(inertia, T)", "T"),
        (
            "projected on both sides",
            "T @ np.linalg.solve(T.T @ np.linalg.solve(inertia, T), T.T)",
            "T @ T.T @ inertia @ T @ T.T",
        ),
        ("a sign", "T @ np.linalg.solve(T.T", "-T @ np.linalg.solve(T.T"),
    ],
    "ex-13-deadbeat": [
        ("critical for both", "1 / h if semi_implicit_ else 2 / h", "2 / h"),
        ("half for both", "1 / h if semi_implicit_ else 2 / h", "1 / h"),
        ("exchanged", "1 / h if semi_implicit_ else 2 / h", "2 / h if semi_implicit_ else 1 / h"),
        ("a quarter", "1 / h**2,", "1 / (4 * h**2),"),
    ],
    "ex-13-rod": [
        (
            "the sign of K",
            "return (d @ J)[None] / self.length",
            "return -(d @ J)[None] / self.length",
        ),
        ("not divided", "return (d @ J)[None] / self.length", "return (d @ J)[None]"),
        ("no centripetal term", "rate @ rate + ", ""),
        ("no Jdot qd", "+ d @ (a[1] - a[0])", ""),
        (
            "the length itself",
            "(d @ d - self.length**2) / (2 * self.length)",
            "np.sqrt(d @ d) - self.length / 2",
        ),
        ("a spatial acceleration", "classical=True", "classical=False"),
        ("the sign of all", "self.length = length", "self.length = -length"),
    ],
    "ex-13-line": [
        ("no alternation", "(-(2 - np.sqrt(3))) ** (k - 1)", "(2 - np.sqrt(3)) ** (k - 1)"),
        ("two rulers", "-(2 - np.sqrt(3)) / 2", "-1 / 8"),
        ("one pin too far", "** (k - 1)", "** k"),
        ("a sign", "return -(2", "return (2"),
    ],
    # Chapter 14
    "ex-14-count": [
        (
            "rows counted",
            "np.linalg.matrix_rank(constraint_jacobian(chain, loops, q), tol=1e-9)",
            "len(constraint_jacobian(chain, loops, q))",
        ),
        ("no tolerance", "tol=1e-9", "tol=0"),
        ("the rank", "chain.nv - ", ""),
        ("always one", "return chain.nv", "return 1 if q is not None else chain.nv"),
    ],
    "ex-16-belt": [
        ("crossed", "-r2 * lam / I2", "r2 * lam / I2"),
        ("the second at rest", "-r2 * lam / I2", "0"),
        ("free", "(tau + r1 * lam) / I1", "tau / I1"),
        ("a factor 2", "lam = -(r1", "lam = -2 * (r1"),
        (
            "no radii",
            "lam = -(r1 * tau / I1) / (r1**2 / I1 + r2**2 / I2)",
            "lam = -(tau / I1) / (1 / I1 + 1 / I2)",
        ),
        ("the tension's sign", "-r2 * lam / I2, lam", "-r2 * lam / I2, -lam"),
    ],
    "ex-14-bertrand": [
        ("half", "return (W.T", "return 0.5 * (W.T"),
        ("a sign", "return (W.T", "return -(W.T"),
        ("no inertia", "W = np.linalg.solve(M, K.T)", "W = K.T"),
        (
            "all of it",
            "return (W.T @ tau) @ np.linalg.solve(K @ W, W.T @ tau)",
            "return tau @ np.linalg.solve(M, tau)",
        ),
    ],
    "ex-15-slider": [
        (
            "the rod free",
            "assemble(chain, OnTheLine(), np.array([-0.7, 0.9]), held=held_)",
            "np.array([-0.7, 0.9])",
        ),
        ("the crank moved", "np.array([-0.7, 0.9])", "np.array([-0.6, 0.9])"),
        ("the rod's part alone", "0.1 * np.cos(q[0]) + far, far", "far, far"),
        ("the crank's height", "0.1 * np.cos(q[0]) + far, far", "0.1 * np.cos(q[0]), 0"),
        (
            "no bias",
            "return np.array([0.1 * np.sin(q[0]) * v[0] ** 2 + far])",
            "return np.zeros(1)",
        ),
        (
            "no error",
            "return chain, OnTheLine(), assemble(chain, OnTheLine(), np.array([-0.7, 0.9]), held=held_)",
            "q = assemble(chain, OnTheLine(), np.array([-0.7, 0.9]), held=held_)\n"
            "    closed = OnTheLine()\n"
            "    closed.error = lambda chain, q: np.zeros(1)\n"
            "    return chain, closed, q",
        ),
        ("the error's sign", "return -np.array([0.1", "return np.array([0.1"),
    ],
    "ex-14-idle": [
        (
            "the empty rows",
            "np.linalg.norm(U[:, rank:], axis=1) > 1e-9",
            "np.linalg.norm(K, axis=1) < 1e-9",
        ),
        (
            "all, if there are any",
            "np.linalg.norm(U[:, rank:], axis=1) > 1e-9",
            "np.full(len(K), rank < len(K))",
        ),
        (
            "the last ones",
            "np.linalg.norm(U[:, rank:], axis=1) > 1e-9",
            "np.arange(len(K)) >= rank",
        ),
        ("the known ones", "axis=1) > 1e-9", "axis=1) <= 1e-9"),
    ],
    # Chapters 15 and 16
    "ex-15-power": [
        ("all that the motion takes", "N.T @ required)", "N[motors].T @ required[motors])"),
        (
            "as if there were no loop",
            "np.linalg.solve(N[motors].T, N.T @ required)",
            "required[motors]",
        ),
        ("a sign", "return np", "return -np"),
    ],
    "ex-16-cart": [
        ("rates in the cart's axes", "c, s = np.cos(theta), np.sin(theta)", "c, s = 1, 0"),
        (
            "the wheels exchanged",
            "[c, s, -b, -rho, 0], [c, s, b, 0, -rho]",
            "[c, s, b, -rho, 0], [c, s, -b, 0, -rho]",
        ),
        ("no turn of the wheels' places", "-b, -rho, 0], [c, s, b, 0", "0, -rho, 0], [c, s, 0, 0"),
        ("sideways free", "[-s, c, 0, 0, 0]", "2 * np.array([c, s, -b, -rho, 0])"),
        ("a wheel that rolls backwards", "-rho, 0]", "rho, 0]"),
    ],
    # Chapter 17
    "ex-17-recursion": [
        ("the blow the other way", "ell = [-nu * lam]", "ell = [nu * lam]"),
        ("nothing before", "Psi = (np.eye(6) - G @ I_i) @ stump", "Psi = 0 * I_i"),
        ("no jump of the parent", "(beyond + I_i @ dv)", "beyond"),
        ("the jump's sign", "-s_i @ (beyond", "s_i @ (beyond"),
        ("no inertia beyond", "np.linalg.solve(np.eye(6) + Psi @ I_i, G + Psi)", "G + Psi"),
        ("shifted by a link", "np.array(ell[:-1])", "np.array(ell[1:])"),
    ],
    "ex-17-snap": [
        ("nothing happens", "solve_kkt(M, K, M @ qd, np.zeros(len(K))).x", "qd"),
        ("all stops", "solve_kkt(M, K, M @ qd, np.zeros(len(K))).x", "0 * qd"),
        ("without the masses", "M, K = mass_matrix(chain, q),", "M, K = np.eye(chain.nv),"),
        ("the jump", "np.zeros(len(K))).x", "np.zeros(len(K))).x - qd"),
        ("a bounce", "np.zeros(len(K))).x", "-K @ qd).x"),
    ],
    "ex-17-caught": [
        ("elastic", "-F.T @ v)", "-2 * F.T @ v)"),
        ("the impulse's sign", "-F.T @ v)", "F.T @ v)"),
        ("the link welded", "F = X_force(np.eye(3), -point)[:, 3:]", "F = np.eye(6)"),
        ("the origin caught", "X_force(np.eye(3), -point)", "X_force(np.eye(3), 0 * point)"),
        (
            "with its weight",
            "weightless, still = Chain(chain.links, gravity=(0, 0, 0))",
            "weightless, still = chain",
        ),
        ("the jump", "return qd + aba", "return aba"),
    ],
    # Chapter 18
    "ex-18-rods": [
        (
            "the last rod alone",
            "return sp.sympify(blow.effective_mass)",
            "return sp.Rational(masses[-1], 3)",
        ),
        (
            "all rods as one",
            "return sp.sympify(blow.effective_mass)",
            "return sp.Rational(sum(masses), 3)",
        ),
        (
            "two equal rods",
            "return sp.sympify(blow.effective_mass)",
            "return sp.Rational(7, 24) * masses[-1]",
        ),
        ("from the wrong end", "enumerate(masses)", "enumerate(masses[::-1])"),
        (
            "not exact",
            "return sp.sympify(blow.effective_mass)",
            "return sp.Float(blow.effective_mass)",
        ),
        ("the inverse", "sp.sympify(blow.effective_mass)", "1 / sp.sympify(blow.effective_mass)"),
        ("its digits, as text", "sp.sympify(blow.effective_mass)", "str(blow.effective_mass)"),
    ],
    "ex-18-recursion": [
        ("the link before forgotten", "@ found[-1]", "@ found[0]"),
        ("G in front", "(one - G @ I_i)", "(one + G @ I_i)"),
        ("no Psi in the answer", "sp.Matrix(G + Psi)", "sp.Matrix(G)"),
        ("no system", "exact(np.array(left.LUsolve(right)))", "exact(np.array(right))"),
        ("with the zero", "return found[1:]", "return found"),
        ("in digits", "return found[1:]", "return [sp.Matrix(x).evalf() for x in found[1:]]"),
        ("the second in digits", "return found[1:]", "return [found[1], 1.0 * found[2], found[3]]"),
    ],
    # Chapter 19
    "ex-19-support": [
        (
            "the point in the direction d",
            "half_axes * stretched / np.linalg.norm(stretched)",
            "d / np.linalg.norm(d / half_axes)",
        ),
        ("stretched once", "half_axes * stretched / np", "stretched / np"),
        ("the far side", "stretched = half_axes * d", "stretched = -half_axes * d"),
        ("stretched the wrong way", "stretched = half_axes * d", "stretched = d / half_axes"),
        ("the ball's point, stretched", "stretched = half_axes * d", "stretched = d"),
    ],
    "ex-19-advance": [
        ("equal steps", "t += apart / fastest", "t += 1e-3"),
        ("steps twice as long", "t += apart / fastest", "t += 2 * apart / fastest"),
        ("as if it came straight", "t += apart / fastest", "return t + apart / fastest"),
        ("never late", "while t <= end:", "while True:"),
        (
            "always None",
            "        if apart <= 1e-9:\n            return t\n",
            "        if apart <= 1e-9:\n            return None\n",
        ),
    ],
    # Chapter 20
    "ex-31-pgs": [
        (
            "no bound",
            "max(0, z[i] - (A[i] @ z + b[i]) / A[i, i])",
            "z[i] - (A[i] @ z + b[i]) / A[i, i]",
        ),
        (
            "Jacobi",
            "        for i in range(len(b)):\n            z[i] = max(0, z[i] - (A[i] @ z + b[i]) / A[i, i])",
            "        z = np.maximum(0, z - (A @ z + b) / np.diag(A))",
        ),
        ("the sign of b", "A[i] @ z + b[i]", "A[i] @ z - b[i]"),
        ("not divided", "/ A[i, i])", ")"),
        ("backwards", "for i in range(len(b))", "for i in reversed(range(len(b)))"),
        ("one sweep more", "range(sweeps)", "range(sweeps + 1)"),
    ],
    "ex-20-backspin": [
        ("a hoop", "2.5 * u / r", "u / r"),
        ("forward spin", "2.5 * u / r", "-2.5 * u / r"),
        ("no radius", "2.5 * u / r", "2.5 * u"),
        ("no bounce", "u / ((1 + epsilon) * v)", "u / v"),
        ("a factor 2", "u / ((1 + epsilon) * v)", "2 * u / ((1 + epsilon) * v)"),
    ],
    "ex-20-rocking": [
        ("as if nothing were lost", "1 - 1.5 * np.sin(alpha) ** 2", "1.0"),
        ("no half", "1.5 * np.sin", "0.75 * np.sin"),
        ("the other angle", "np.sin(alpha)", "np.cos(alpha)"),
        ("the energies", "1 - 1.5 * np.sin(alpha) ** 2", "(1 - 1.5 * np.sin(alpha) ** 2) ** 2"),
        ("no inertia about the centre", "1 - 1.5 * np.sin(alpha) ** 2", "np.cos(2 * alpha)"),
    ],
    # Chapter 21
    "ex-21-tip": [
        (
            "the angle without arctan",
            "np.arctan(min(mu, width / height))",
            "min(mu, width / height)",
        ),
        (
            "height over width",
            "np.arctan(min(mu, width / height))",
            "np.arctan(min(mu, height / width))",
        ),
        ("it always slides", "np.arctan(min(mu, width / height))", "np.arctan(mu)"),
        (
            "half the width",
            "np.arctan(min(mu, width / height))",
            "np.arctan(min(mu, width / height / 2))",
        ),
        ("the other way", "if mu < width / height", "if mu > width / height"),
    ],
    # Chapter 22
    "ex-22-step": [
        ("the gap at the end", "if middle <= 1e-9", "if middle + h / 2 * after <= 1e-9"),
        ("the gap at the start", "if middle <= 1e-9", "if gap <= 1e-9"),
        ("the weight bounces too", "-epsilon * speed", "-epsilon * (speed - h * g)"),
        ("a whole step with the new speed", "middle + h / 2 * after", "middle + h * after"),
        ("no weight", "speed - h * g", "speed"),
        ("the floor pulls", "max(after, -epsilon * speed)", "-epsilon * speed"),
    ],
    # Chapter 23
    "ex-23-two": [
        ("the sign", "m * g * l *", "-m * g * l *"),
        ("no coupling", "[[2.0, 0.5], [0.5, 0.5]]", "[[2.0, 0.0], [0.0, 0.5]]"),
        ("angles from the vertical", "[[2.0, 0.5], [0.5, 0.5]]", "[[1.5, 0.0], [0.0, 0.5]]"),
        ("a factor 2", "m * g * l *", "m * g * l / 2 *"),
        ("no length", "m * g * l *", "m * g *"),
    ],
    "ex-23-swing": [
        ("the squares", "np.linalg.eigvals(A).imag", "np.linalg.eigvals(A).imag**2"),
        ("each twice", "[chain.nv :]", ""),
        ("in hertz", "[chain.nv :]", "[chain.nv :] / (2 * np.pi)"),
        ("the real parts", ".imag", ".real"),
        (
            "the highest first",
            "np.sort(np.linalg.eigvals(A).imag)[chain.nv :]",
            "np.sort(np.linalg.eigvals(A).imag)[chain.nv :][::-1]",
        ),
    ],
    "ex-23-throw": [
        ("the last step alone", "p, answer[k] = slopes[:4], slopes[4:]", "answer[k] = slopes[4:]"),
        ("a sign", "return answer", "return -answer"),
        ("backwards in time", "return answer", "return answer[::-1]"),
        ("of the first state", "one_step(states[k] +", "one_step(states[0] +"),
        (
            "forty simulations",
            "    h, states = 1e-30, [np.zeros(4)]",
            "    for _ in range(40):\n        distance(torques)\n    h, states = 1e-30, [np.zeros(4)]",
        ),
        (
            "forty simulations in one batch",
            "    h, states = 1e-30, [np.zeros(4)]",
            "    ways, y = torques + 1e-30j * np.eye(40).reshape(40, 20, 2), np.zeros((40, 4))\n"
            "    for k in range(20):\n        y = one_step(y, ways[:, k])\n"
            "    return (flight(y).imag / 1e-30).reshape(20, 2)\n"
            "    h, states = 1e-30, [np.zeros(4)]",
        ),
    ],
    # Chapter 24
    "ex-24-ball": [
        ("the flight alone", "np.array([[-1, 0], [2 * g / v, -1]]) @ flight", "flight"),
        (
            "the other way round",
            "np.array([[-1, 0], [2 * g / v, -1]]) @ flight",
            "flight @ np.array([[-1, 0], [2 * g / v, -1]])",
        ),
        ("no saltation", "[2 * g / v, -1]", "[0, -1]"),
        ("the way up", "2 * v / g", "v / g"),
        ("the saltation's sign", "[2 * g / v, -1]", "[-2 * g / v, -1]"),
    ],
    # Chapter 25
    "ex-25-count": [
        ("the rope's own mass", "4, 5, 7, 6", "5, 5, 7, 6"),
        ("no mass of the slide", "4, 5, 7, 6", "4, 4, 7, 6"),
        ("weight forgotten", "4, 5, 7, 6", "4, 5, 5, 6"),
        ("all ten of the rod", "4, 5, 7, 6", "4, 5, 7, 10"),
    ],
    "ex-25-energy": [
        (
            "kinetic energy alone",
            "    row[:, 0] -= p @ chain.gravity\n    row[:, 1:4] -= chain.gravity @ R\n",
            "",
        ),
        ("no half", "[..., 0, 0] / 2", "[..., 0, 0]"),
        ("the sign of the weight", "row[:, 0] -= p", "row[:, 0] += p"),
        ("the first moment left out", "    row[:, 1:4] -= chain.gravity @ R\n", ""),
        ("in the world's axes", "chain.gravity @ R", "chain.gravity"),
    ],
    "ex-25-friction": [
        ("a sign", "qd[..., None] * np.eye(6), np.sign", "-qd[..., None] * np.eye(6), np.sign"),
        (
            "Coulomb first",
            "[qd[..., None] * np.eye(6), np.sign(qd)[..., None] * np.eye(6)]",
            "[np.sign(qd)[..., None] * np.eye(6), qd[..., None] * np.eye(6)]",
        ),
        (
            "the same for all joints",
            "np.sign(qd)[..., None] * np.eye(6)",
            "np.sign(qd)[..., None] * np.ones((6, 6))",
        ),
        (
            "the size of the rate",
            "qd[..., None] * np.eye(6), np",
            "abs(qd)[..., None] * np.eye(6), np",
        ),
    ],
    "ex-25-rotors": [
        ("all rotors known", "np.eye(6), 4", "np.eye(6), 6"),
        ("all but the first", "np.eye(6), 4", "np.eye(6), 5"),
        ("a sign", "qdd[..., None] * np.eye(6), 4", "-qdd[..., None] * np.eye(6), 4"),
        ("all joints feel it", "np.eye(6), 4", "np.ones((6, 6)), 4"),
    ],
    "ex-25-payload": [
        ("the sign", "(more / noise)", "(-more / noise)"),
        ("the first link's columns", "[..., 50:]", "[..., :10]"),
        ("twice as heavy", "rcond=None)[0]", "rcond=None)[0] * 2"),
        ("a point mass", "rcond=None)[0]", "rcond=None)[0] * (np.arange(10) < 4)"),
        (
            "noise without weights",
            "own.reshape(-1, 10), (more / noise).ravel()",
            "(own * noise[:, None]).reshape(-1, 10), more.ravel()",
        ),
    ],
}
