// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function mode_margins_own(in0,in1,in2,in3,in4){
return [[in4[0]*in0[0],in4[1]*(in2*in0[0]+in3-Math.sqrt(in0[1]*in0[1]))],[(1-in4[0])*in1[0],-in4[2]*in1[1]]];
}
export const mode_margins=(...x)=>inForce("mode_margins",mode_margins_own)(...x);
