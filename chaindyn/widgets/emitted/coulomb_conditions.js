// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function coulomb_conditions_own(in0,in1,in2,in3){
return [in1[0],in1[1]+in0[3],in0[3]-in1[1],in2*in0[0]+in3-(in0[1]+in0[2])];
}
export const coulomb_conditions=(...x)=>inForce("coulomb_conditions",coulomb_conditions_own)(...x);
