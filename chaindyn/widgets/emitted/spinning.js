// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function spinning_own(in0,in1,in2){
const a=in0[0]*in1[0],aa=in0[1]*in1[1],ab=in0[2]*in1[2],ac=in2[1]*in2[1],ad=in2[2]*in2[2],ae=in2[3]*in2[3],af=in2[0]*in2[3],ag=in2[0]*in2[2],ah=in2[0]*in2[1],ai=in2[2]*in2[1],aj=in2[3]*in2[1],ak=in2[3]*in2[2],al=1/(in2[0]*in2[0]+ac+ad+ae);
return [[a,aa,ab],[(1-(ae+ad)*2*al)*a+(ai-af)*2*al*aa+(ag+aj)*2*al*ab,(af+ai)*2*al*a+(1-(ae+ac)*2*al)*aa+(ak-ah)*2*al*ab,(aj-ag)*2*al*a+(ah+ak)*2*al*aa+(1-(ad+ac)*2*al)*ab],(a*in1[0]+aa*in1[1]+ab*in1[2])*0.5];
}
export const spinning=(...x)=>inForce("spinning",spinning_own)(...x);
