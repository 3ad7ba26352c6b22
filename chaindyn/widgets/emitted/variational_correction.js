// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function variational_correction_own(in0,in1,in2,in3,in4,in5,in6){
const y0=in2.map((_,i)=>in2[i]+in6[i]);
const [y1,y1_]=in0.momenta(in2,y0,in4);
const y2=in2.map((_,i)=>in5[i]-y1[i]),y3=in0.moved(in2,y2),y4=in2.map((_,i)=>in4*y3[i]);
return [y4];
}
export const variational_correction=(...x)=>inForce("variational_correction",variational_correction_own)(...x);
