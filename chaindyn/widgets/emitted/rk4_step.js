// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function rk4_step_own(in0,in1,in2,in3,in4){
const a=in4*0.5,aa=in1+a,ab=in4*0.08333333333333333,y0=in0.acceleration(in1,in2,in3),y1=in2.map((_,i)=>in2[i]+a*in3[i]),y2=in2.map((_,i)=>in3[i]+a*y0[i]),y3=in0.acceleration(aa,y1,y2),y4=in2.map((_,i)=>in2[i]+a*y2[i]),y5=in2.map((_,i)=>in3[i]+a*y3[i]),y6=in0.acceleration(aa,y4,y5),y7=in2.map((_,i)=>y1[i]+(in4*y5[i]-a*in3[i])),y8=in2.map((_,i)=>in3[i]+in4*y6[i]),y9=in0.acceleration(in1+in4,y7,y8),y10=in2.map((_,i)=>in2[i]+ab*(in3[i]*3+y2[i]*2+y5[i]*2-y8[i])+ab*(y2[i]*2-in3[i]+y5[i]*2+y8[i]*3)),y11=in2.map((_,i)=>in3[i]+in4*0.16666666666666666*(y0[i]+y3[i]*2+y6[i]*2+y9[i]));
return [y10,y11];
}
export const rk4_step=(...x)=>inForce("rk4_step",rk4_step_own)(...x);
