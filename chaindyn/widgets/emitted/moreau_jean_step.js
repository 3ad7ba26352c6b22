// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function moreau_jean_step_own(in0,in1,in2,in3,in4){
const a=in4*0.5,aa=in1+a,y0=in2.map((_,i)=>in2[i]+a*in3[i]),y1=in2.map((_,i)=>0),y2=in0.acceleration(aa,y0,y1),y3=in0.acceleration(aa,y0,in3),y4=in2.map((_,i)=>in3[i]+a*(y3[i]-y2[i])+a*y2[i]),y5=in0.acceleration(aa,y0,y4),y6=in2.map((_,i)=>a*y2[i]),y7=in0.acceleration(aa,y0,y6),y8=in2.map((_,i)=>y0[i]+a*(in3[i]+in4*(y5[i]-y7[i])+in4*y2[i])),y9=in2.map((_,i)=>in3[i]+in4*(y5[i]-y7[i])),y10=in2.map((_,i)=>y9[i]+in4*y2[i]),y11=in0.pushed(y8,y9,y10),y12=in2.map((_,i)=>y0[i]+a*y11[i]);
return [y12,y11];
}
export const moreau_jean_step=(...x)=>inForce("moreau_jean_step",moreau_jean_step_own)(...x);
