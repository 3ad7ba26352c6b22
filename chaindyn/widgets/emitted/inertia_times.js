// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function inertia_times_run_0_1(D,G,in0,in1,out0,out1,C1,C2,w,g,n,nq,nv,i,d,k,q,v,c1,o1,c2,o2){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao;
w[k+0]=av;
const aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap;
w[k+1]=aw;
const ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq;
w[k+2]=ax;
const ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao;
w[k+3]=ay;
const az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap;
w[k+4]=az;
const aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq;
w[k+5]=aA;
const aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao;
w[k+6]=aB;
const aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap;
w[k+7]=aC;
const aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq;
w[k+8]=aD;
const aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=aB*aF-ay*aG;
w[k+9]=aH;
const aI=av*aG-aB*aE;
w[k+10]=aI;
const aJ=ay*aE-av*aF;
w[k+11]=aJ;
const aK=aC*aF-az*aG;
w[k+12]=aK;
const aL=aw*aG-aC*aE;
w[k+13]=aL;
const aM=az*aE-aw*aF;
w[k+14]=aM;
const aN=aD*aF-aA*aG;
w[k+15]=aN;
const aO=ax*aG-aD*aE;
w[k+16]=aO;
const aP=aA*aE-ax*aF;
w[k+17]=aP;
const aQ=av*C1[c1+0]+ay*C1[c1+1]-aB*C1[c1+2]+D[d+28]*in1[v],aR=aw*C1[c1+0]+az*C1[c1+1]-aC*C1[c1+2]+D[d+29]*in1[v],aS=ax*C1[c1+0]+aA*C1[c1+1]-aD*C1[c1+2]+D[d+30]*in1[v],aT=aH*C1[c1+0]+aI*C1[c1+1]-aJ*C1[c1+2]-av*C1[c1+3]+ay*C1[c1+4]+aB*C1[c1+5]+D[d+25]*in1[v],aU=aK*C1[c1+0]+aL*C1[c1+1]-aM*C1[c1+2]-aw*C1[c1+3]+az*C1[c1+4]+aC*C1[c1+5]+D[d+26]*in1[v],aV=aN*C1[c1+0]+aO*C1[c1+1]-aP*C1[c1+2]-ax*C1[c1+3]+aA*C1[c1+4]+aD*C1[c1+5]+D[d+27]*in1[v];
w[k+18]=D[d+36]*aQ+D[d+37]*aR+D[d+38]*aS-D[d+42]*aU+D[d+43]*aV;
w[k+19]=D[d+37]*aQ+D[d+39]*aR+D[d+40]*aS+D[d+42]*aT-D[d+44]*aV;
w[k+20]=D[d+38]*aQ+D[d+40]*aR+D[d+41]*aS-D[d+43]*aT+D[d+44]*aU;
w[k+21]=D[d+42]*aR-D[d+43]*aS+D[d+34]*aT;
w[k+22]=D[d+44]*aS-D[d+42]*aQ+D[d+34]*aU;
w[k+23]=D[d+43]*aQ-D[d+44]*aR+D[d+34]*aV;
C1[o1+0]=aQ;
C1[o1+1]=aR;
C1[o1+2]=-aS;
C1[o1+3]=-aT;
C1[o1+4]=aU;
C1[o1+5]=aV;
}
function inertia_times_run_0_2(D,G,in0,in1,out0,out1,C1,C2,w,g,n,nq,nv,i,d,k,q,v,c1,o1,c2,o2){
const a=w[k+18]+C2[o2+0],aa=w[k+19]+C2[o2+1],ab=w[k+20]-C2[o2+2],ac=w[k+21]+C2[o2+3],ad=w[k+22]-C2[o2+4],ae=w[k+23]-C2[o2+5];
C2[c2+0]+=w[k+0]*a+w[k+1]*aa+w[k+2]*ab+w[k+9]*ac+w[k+12]*ad+w[k+15]*ae;
C2[c2+1]+=w[k+3]*a+w[k+4]*aa+w[k+5]*ab+w[k+10]*ac+w[k+13]*ad+w[k+16]*ae;
C2[c2+2]+=-(w[k+6]*a+w[k+7]*aa+w[k+8]*ab+w[k+11]*ac+w[k+14]*ad+w[k+17]*ae);
C2[c2+3]+=w[k+0]*ac+w[k+1]*ad+w[k+2]*ae;
C2[c2+4]+=-(w[k+3]*ac+w[k+4]*ad+w[k+5]*ae);
C2[c2+5]+=-(w[k+6]*ac+w[k+7]*ad+w[k+8]*ae);
out0[i]=D[d+28]*a+D[d+29]*aa+D[d+30]*ab+D[d+25]*ac+D[d+26]*ad+D[d+27]*ae+D[d+35]*in1[v];
}
function inertia_times_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],in1=inputs[1],out0=outputs[0],out1=outputs[1];
const C1=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
const C2=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
C2.fill(0);
const g=w.subarray(size,size+1),K=(link)=>tree[6*link+3];
C1[0]=0;
C1[1]=0;
C1[2]=0;
C1[3]=0;
C1[4]=0;
C1[5]=0;
for(let i=0;i<n;i++){const t=6*i;
if(tree[t+1]===0) inertia_times_run_0_1(D,G,in0,in1,out0,out1,C1,C2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6);
}
for(let i=n-1;i>=0;i--){const t=6*i;
if(tree[t+1]===0) inertia_times_run_0_2(D,G,in0,in1,out0,out1,C1,C2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6);
}
}
const INERTIA_TIMES={keep:24,carried:12,kept:1,inputs:[null, null],rows:["joints"],outputs:[["n"], [0]],run:inertia_times_run};
