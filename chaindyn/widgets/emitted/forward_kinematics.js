// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function forward_kinematics_run_0_1(D,G,in0,out0,out1,out2,C0,w,g,n,nq,nv,i,d,k,q,v,c0,o0){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=C0[c0+0]*av+C0[c0+1]*ay+C0[c0+2]*aB,aI=C0[c0+0]*aw+C0[c0+1]*az+C0[c0+2]*aC,aJ=C0[c0+0]*ax+C0[c0+1]*aA+C0[c0+2]*aD,aK=C0[c0+3]*av+C0[c0+4]*ay+C0[c0+5]*aB,aL=C0[c0+3]*aw+C0[c0+4]*az+C0[c0+5]*aC,aM=C0[c0+3]*ax+C0[c0+4]*aA+C0[c0+5]*aD,aN=C0[c0+6]*av+C0[c0+7]*ay+C0[c0+8]*aB,aO=C0[c0+6]*aw+C0[c0+7]*az+C0[c0+8]*aC,aP=C0[c0+6]*ax+C0[c0+7]*aA+C0[c0+8]*aD,aQ=C0[c0+0]*aE+C0[c0+1]*aF+C0[c0+2]*aG-C0[c0+9],aR=C0[c0+10]+(C0[c0+3]*aE+C0[c0+4]*aF+C0[c0+5]*aG),aS=C0[c0+11]+(C0[c0+6]*aE+C0[c0+7]*aF+C0[c0+8]*aG);
C0[o0+0]=aH;
C0[o0+1]=aI;
C0[o0+2]=aJ;
C0[o0+3]=aK;
C0[o0+4]=aL;
C0[o0+5]=aM;
C0[o0+6]=aN;
C0[o0+7]=aO;
C0[o0+8]=aP;
C0[o0+9]=-aQ;
C0[o0+10]=aR;
C0[o0+11]=aS;
out0[i*9]=aH;
out0[i*9+1]=aI;
out0[i*9+2]=aJ;
out0[i*9+3]=aK;
out0[i*9+4]=aL;
out0[i*9+5]=aM;
out0[i*9+6]=aN;
out0[i*9+7]=aO;
out0[i*9+8]=aP;
out1[i*3]=aQ;
out1[i*3+1]=aR;
out1[i*3+2]=aS;
}
function forward_kinematics_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],out0=outputs[0],out1=outputs[1],out2=outputs[2];
const C0=w.subarray(size,size+(n+1)*12); size+=(n+1)*12;
const g=w.subarray(size,size+1),K=(link)=>tree[6*link+3];
C0[0]=1;
C0[1]=0;
C0[2]=0;
C0[3]=0;
C0[4]=1;
C0[5]=0;
C0[6]=0;
C0[7]=0;
C0[8]=1;
C0[9]=0;
C0[10]=0;
C0[11]=0;
for(let i=0;i<n;i++){const t=6*i;
if(tree[t+1]===0) forward_kinematics_run_0_1(D,G,in0,out0,out1,out2,C0,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*12,(i+1)*12);
}
}
const FORWARD_KINEMATICS={keep:0,carried:12,kept:1,inputs:[null],rows:["links", "links"],outputs:[["n", 3, 3], ["n", 3], [0]],run:forward_kinematics_run};
