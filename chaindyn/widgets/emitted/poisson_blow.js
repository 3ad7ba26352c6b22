// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function poisson_blow_own(in0,in1,in2,in3,in4){
const y0=in2.map((_,i)=>0),y1=in0.impulses(in1,y0),y2=in2.map((_,i)=>y1[i]+in2[i]*in3[i]*y1[i]),y3=in0.response(y2),y4=in2.map((_,i)=>in1[i]+y3[i]),y5=in2.map((_,i)=>in4[i]*(in2[i]*in3[i]*y1[i])),y6=in0.impulses(y4,y5),y7=in2.map((_,i)=>y2[i]+y6[i]);
return [y7];
}
export const poisson_blow=(...x)=>inForce("poisson_blow",poisson_blow_own)(...x);
