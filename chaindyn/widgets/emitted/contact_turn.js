// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function contact_turn_own(in0,in1,in2,in3,in4){
const a=in0[0]-in1[0]*(1/((in2[0][0]>0?1:0)!==0?in2[0][0]:Infinity)),aa=(a>0?1:0)!==0?a:0,ab=in0[1]-(in1[1]+in2[1][0]*(aa-in0[0]))*(1/((in2[1][1]>0?1:0)!==0?in2[1][1]:Infinity)),ac=in3*aa+in4,ad=Math.sqrt(ab*ab),ae=(ad-ac)>0?1:0;
return [aa,(ae!==0?ac*(1/(ae!==0?ad:1)):1)*ab];
}
export const contact_turn=(...x)=>inForce("contact_turn",contact_turn_own)(...x);
