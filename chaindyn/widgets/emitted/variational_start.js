// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function variational_start_own(in0,in1,in2,in3,in4){
const y0=in0.carried(in2,in3),y1=in0.force(in1,in2,in3),y2=in2.map((_,i)=>y0[i]+in4*0.5*y1[i]),y3=in0.moved(in2,y2),y4=in2.map((_,i)=>in4*y3[i]);
return [y2,y4];
}
export const variational_start=(...x)=>inForce("variational_start",variational_start_own)(...x);
