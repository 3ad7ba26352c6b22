// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function semi_implicit_euler_step_own(in0,in1,in2,in3,in4){
const y0=in0.acceleration(in1,in2,in3),y1=in2.map((_,i)=>in2[i]+in4*(in3[i]+in4*y0[i])),y2=in2.map((_,i)=>in3[i]+in4*y0[i]);
return [y1,y2];
}
export const semi_implicit_euler_step=(...x)=>inForce("semi_implicit_euler_step",semi_implicit_euler_step_own)(...x);
