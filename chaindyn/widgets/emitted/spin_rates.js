// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function spin_rates_own(in0,in1,in2,in3){
const a=in2[0]*0.5,aa=in2[1]*0.5,ab=in2[2]*0.5;
return [-(in0[0][0]*in1[0]+in0[0][1]*in1[1]+in0[0][2]*in1[2]),-(in0[1][0]*in1[0]+in0[1][1]*in1[1]+in0[1][2]*in1[2]),-(in0[2][0]*in1[0]+in0[2][1]*in1[1]+in0[2][2]*in1[2]),-(in3[1]*a+in3[2]*aa+in3[3]*ab),in3[0]*a+(in3[2]*ab-in3[3]*aa),in3[0]*aa+(in3[3]*a-in3[1]*ab),in3[0]*ab+(in3[1]*aa-in3[2]*a)];
}
export const spin_rates=(...x)=>inForce("spin_rates",spin_rates_own)(...x);
