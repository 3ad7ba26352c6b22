// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function energy_given_own(in0,in1,in2,in3,in4){
const a=in4*(1/(in4+1));
return in0[0]*((in2[0]+in3[0])*0.5-a*(in2[0]-in1[0]))+in0[1]*((in2[1]+in3[1])*0.5-a*(in2[1]-in1[1]));
}
export const energy_given=(...x)=>inForce("energy_given",energy_given_own)(...x);
