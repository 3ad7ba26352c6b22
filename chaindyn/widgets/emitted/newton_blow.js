// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function newton_blow_own(in0,in1,in2,in3,in4){
const y0=in2.map((_,i)=>in1[i]+in2[i]*in3[i]*in1[i]),y1=in2.map((_,i)=>0),y2=in0.impulses(y0,y1);
return [y2];
}
export const newton_blow=(...x)=>inForce("newton_blow",newton_blow_own)(...x);
