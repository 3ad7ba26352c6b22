// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function gap_half_way(in0,in1,in2){
return in0-in2*0.5*in1;
}
