// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function variational_end_own(in0,in1,in2,in3,in4,in5){
const a=in4*0.5,y0=in2.map((_,i)=>in2[i]+in5[i]);
const [y1,y1_]=in0.momenta(in2,y0,in4);
const y2=in0.force(in1,in2,in3),y3=in2.map((_,i)=>y1_[i]+a*y2[i]),y4=in0.moved(y0,y3),y5=in0.force(in1+in4,y0,y4),y6=in2.map((_,i)=>y1_[i]+a*y5[i]),y7=in0.moved(y0,y6);
return [y0,y7];
}
export const variational_end=(...x)=>inForce("variational_end",variational_end_own)(...x);
