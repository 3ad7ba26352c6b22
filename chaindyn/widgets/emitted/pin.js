// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function pin_run_0_1(D,G,in0,in1,in2,in3,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=w[p+0]*av+w[p+1]*ay+w[p+2]*aB,aI=w[p+0]*aw+w[p+1]*az+w[p+2]*aC,aJ=w[p+0]*ax+w[p+1]*aA+w[p+2]*aD,aK=w[p+3]*av+w[p+4]*ay+w[p+5]*aB,aL=w[p+3]*aw+w[p+4]*az+w[p+5]*aC,aM=w[p+3]*ax+w[p+4]*aA+w[p+5]*aD,aN=w[p+6]*av+w[p+7]*ay+w[p+8]*aB,aO=w[p+6]*aw+w[p+7]*az+w[p+8]*aC,aP=w[p+6]*ax+w[p+7]*aA+w[p+8]*aD,aQ=w[p+9]+(w[p+0]*aE+w[p+1]*aF+w[p+2]*aG);
w[o+12]=aQ;
const aR=w[p+10]+(w[p+3]*aE+w[p+4]*aF+w[p+5]*aG);
w[o+13]=aR;
const aS=w[p+11]+(w[p+6]*aE+w[p+7]*aF+w[p+8]*aG);
w[o+14]=aS;
w[o+15]=aH*D[d+28]+aI*D[d+29]+aJ*D[d+30];
w[o+16]=aK*D[d+28]+aL*D[d+29]+aM*D[d+30];
w[o+17]=aN*D[d+28]+aO*D[d+29]+aP*D[d+30];
w[o+18]=aH*D[d+25]+aI*D[d+26]+aJ*D[d+27];
w[o+19]=aK*D[d+25]+aL*D[d+26]+aM*D[d+27];
w[o+20]=aN*D[d+25]+aO*D[d+26]+aP*D[d+27];
w[o+0]=aH;
w[o+1]=aI;
w[o+2]=aJ;
w[o+3]=aK;
w[o+4]=aL;
w[o+5]=aM;
w[o+6]=aN;
w[o+7]=aO;
w[o+8]=aP;
w[o+9]=aQ;
w[o+10]=aR;
w[o+11]=aS;
g[0]+=in1[i]*aH;
g[1]+=in1[i]*aI;
g[2]+=in1[i]*aJ;
g[3]+=in1[i]*aK;
g[4]+=in1[i]*aL;
g[5]+=in1[i]*aM;
g[6]+=in1[i]*aN;
g[7]+=in1[i]*aO;
g[8]+=in1[i]*aP;
g[9]+=in1[i]*aQ;
g[10]+=in1[i]*aR;
g[11]+=in1[i]*aS;
}
function pin_run_0_2(D,G,in0,in1,in2,in3,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=g[27]-w[o+12],aa=g[28]-w[o+13],ab=g[29]-w[o+14];
out0[i*6]=g[0]*w[o+15]+g[3]*w[o+16]+g[6]*w[o+17];
out0[i*6+1]=g[1]*w[o+15]+g[4]*w[o+16]+g[7]*w[o+17];
out0[i*6+2]=g[2]*w[o+15]+g[5]*w[o+16]+g[8]*w[o+17];
out0[i*6+3]=(g[6]*aa-g[3]*ab)*w[o+15]+(g[0]*ab-g[6]*a)*w[o+16]+(g[3]*a-g[0]*aa)*w[o+17]+g[0]*w[o+18]+g[3]*w[o+19]+g[6]*w[o+20];
out0[i*6+4]=(g[7]*aa-g[4]*ab)*w[o+15]+(g[1]*ab-g[7]*a)*w[o+16]+(g[4]*a-g[1]*aa)*w[o+17]+g[1]*w[o+18]+g[4]*w[o+19]+g[7]*w[o+20];
out0[i*6+5]=(g[8]*aa-g[5]*ab)*w[o+15]+(g[2]*ab-g[8]*a)*w[o+16]+(g[5]*a-g[2]*aa)*w[o+17]+g[2]*w[o+18]+g[5]*w[o+19]+g[8]*w[o+20];
}
function pin_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],in1=inputs[1],in2=inputs[2],in3=inputs[3],out0=outputs[0],out1=outputs[1],out2=outputs[2],g=w.subarray(keep);
g[0]=0;
g[1]=0;
g[2]=0;
g[3]=0;
g[4]=0;
g[5]=0;
g[6]=0;
g[7]=0;
g[8]=0;
g[9]=0;
g[10]=0;
g[11]=0;
w[0]=1;
w[1]=0;
w[2]=0;
w[3]=0;
w[4]=1;
w[5]=0;
w[6]=0;
w[7]=0;
w[8]=1;
w[9]=0;
w[10]=0;
w[11]=0;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) pin_run_0_1(D,G,in0,in1,in2,in3,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
g[27]=g[9]+(g[0]*in2[0]+g[1]*in2[1]+g[2]*in2[2]);
g[28]=g[10]+(g[3]*in2[0]+g[4]*in2[1]+g[5]*in2[2]);
g[29]=g[11]+(g[6]*in2[0]+g[7]*in2[1]+g[8]*in2[2]);
const a=g[27]-in3[0],aa=g[28]-in3[1],ab=g[29]-in3[2];
out1[0]=g[0]*a+g[3]*aa+g[6]*ab;
out1[1]=g[1]*a+g[4]*aa+g[7]*ab;
out1[2]=g[2]*a+g[5]*aa+g[8]*ab;
for(let i=n-1;i>=0;i--){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) pin_run_0_2(D,G,in0,in1,in2,in3,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
}
export const PIN={keep:21,carried:12,kept:48,inputs:[null, ["n"], [3], [3]],rows:["joints", "one"],outputs:[["n", 6], [3], [0]],run:pin_run};
