// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function brick_moments_own(in0,in1){
const a=in0*in1[0]*in1[0]*0.08333333333333333,aa=in0*in1[1]*in1[1]*0.08333333333333333,ab=a+aa,ac=ab+in0*in1[2]*in1[2]*0.08333333333333333;
return [ac-a,ac-aa,ab];
}
export const brick_moments=(...x)=>inForce("brick_moments",brick_moments_own)(...x);
