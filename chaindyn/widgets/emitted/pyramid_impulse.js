// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function pyramid_impulse_own(in0){
return [in0[0],in0[1]-in0[2]];
}
export const pyramid_impulse=(...x)=>inForce("pyramid_impulse",pyramid_impulse_own)(...x);
