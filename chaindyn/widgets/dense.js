// Small symmetric positive definite matrices.

// The lower triangle L of A = L L^T.
function cholesky(A) {
  const L = A.map(() => A.map(() => 0));
  A.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      let rest = row[j];
      for (let k = 0; k < j; k++) rest -= L[i][k] * L[j][k];
      L[i][j] = i === j ? Math.sqrt(rest) : rest / L[j][j];
    }
  });
  return L;
}
function solveLower(L, b) {
  const x = [];
  L.forEach((row, i) => {
    let rest = b[i];
    for (let k = 0; k < i; k++) rest -= row[k] * x[k];
    x.push(rest / row[i]);
  });
  return x;
}
function solveUpper(L, b) {
  const x = [...b];
  for (let i = L.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < L.length; k++) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
  return x;
}
