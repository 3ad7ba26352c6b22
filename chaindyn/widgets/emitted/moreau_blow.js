// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function moreau_blow_own(in0,in1,in2,in3,in4){
const y0=in2.map((_,i)=>0),y1=in0.impulses(in1,y0),y2=in2.map((_,i)=>in2[i]*y1[i]),y3=in0.affordable(y2,y1),y4=in2.map((_,i)=>y1[i]+y3[i]);
return [y4];
}
export const moreau_blow=(...x)=>inForce("moreau_blow",moreau_blow_own)(...x);
