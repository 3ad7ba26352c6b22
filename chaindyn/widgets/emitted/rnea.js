// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function rnea_run_0_1(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1,c2,o2){
const a=D[d+28]*in1[v],aa=D[d+29]*in1[v],ab=D[d+30]*in1[v],ac=D[d+25]*in1[v],ad=D[d+26]*in1[v],ae=D[d+27]*in1[v],af=D[d+15]*in0[q],ag=Math.cos(af),ah=Math.sin(af),ai=ag*D[d+17],aj=ag*D[d+18],ak=ag*D[d+20],al=ah*D[d+14],am=ah*D[d+13],an=ah*D[d+12],ao=ag*D[d+22]+D[d+16],ap=D[d+17]-(ai+al),aq=am-aj+D[d+18],ar=al-ai+D[d+17],at=ag*D[d+23]+D[d+19],au=D[d+20]-(ak+an),av=D[d+18]-(aj+am),aw=an-ak+D[d+20],ax=ag*D[d+24]+D[d+21],ay=D[d+25]*in0[q],az=D[d+26]*in0[q],aA=D[d+27]*in0[q],aB=D[d+0]*ao+D[d+1]*ar+D[d+2]*av;
w[k+0]=aB;
const aC=D[d+0]*ap+D[d+1]*at+D[d+2]*aw;
w[k+1]=aC;
const aD=D[d+0]*aq+D[d+1]*au+D[d+2]*ax;
w[k+2]=aD;
const aE=D[d+3]*ao+D[d+4]*ar+D[d+5]*av;
w[k+3]=aE;
const aF=D[d+3]*ap+D[d+4]*at+D[d+5]*aw;
w[k+4]=aF;
const aG=D[d+3]*aq+D[d+4]*au+D[d+5]*ax;
w[k+5]=aG;
const aH=D[d+6]*ao+D[d+7]*ar+D[d+8]*av;
w[k+6]=aH;
const aI=D[d+6]*ap+D[d+7]*at+D[d+8]*aw;
w[k+7]=aI;
const aJ=D[d+6]*aq+D[d+7]*au+D[d+8]*ax;
w[k+8]=aJ;
const aK=D[d+9]+(D[d+0]*ay+D[d+1]*az+D[d+2]*aA),aL=D[d+10]+(D[d+3]*ay+D[d+4]*az+D[d+5]*aA),aM=D[d+11]+(D[d+6]*ay+D[d+7]*az+D[d+8]*aA),aN=aH*aL-aE*aM;
w[k+9]=aN;
const aO=aB*aM-aH*aK;
w[k+10]=aO;
const aP=aE*aK-aB*aL;
w[k+11]=aP;
const aQ=aI*aL-aF*aM;
w[k+12]=aQ;
const aR=aC*aM-aI*aK;
w[k+13]=aR;
const aS=aF*aK-aC*aL;
w[k+14]=aS;
const aT=aJ*aL-aG*aM;
w[k+15]=aT;
const aU=aD*aM-aJ*aK;
w[k+16]=aU;
const aV=aG*aK-aD*aL;
w[k+17]=aV;
const aW=aE*C0[c0+1]-aB*C0[c0+0]-aH*C0[c0+2]+a,aX=aF*C0[c0+1]-aC*C0[c0+0]-aI*C0[c0+2]+aa,aY=aG*C0[c0+1]-aD*C0[c0+0]-aJ*C0[c0+2]+ab,aZ=aO*C0[c0+1]-aN*C0[c0+0]-aP*C0[c0+2]-aB*C0[c0+3]+aE*C0[c0+4]+aH*C0[c0+5]+ac,b=aR*C0[c0+1]-aQ*C0[c0+0]-aS*C0[c0+2]-aC*C0[c0+3]+aF*C0[c0+4]+aI*C0[c0+5]+ad,ba=aU*C0[c0+1]-aT*C0[c0+0]-aV*C0[c0+2]-aD*C0[c0+3]+aG*C0[c0+4]+aJ*C0[c0+5]+ae,bb=D[d+36]*aW+D[d+37]*aX+D[d+38]*aY-D[d+42]*b+D[d+43]*ba,bc=D[d+37]*aW+D[d+39]*aX+D[d+40]*aY+D[d+42]*aZ-D[d+44]*ba,bd=D[d+38]*aW+D[d+40]*aX+D[d+41]*aY-D[d+43]*aZ+D[d+44]*b,be=D[d+42]*aX-D[d+43]*aY+D[d+34]*aZ,bf=D[d+44]*aY-D[d+42]*aW+D[d+34]*b,bg=D[d+43]*aW-D[d+44]*aX+D[d+34]*ba,bh=aB*C1[c1+0]+aE*C1[c1+1]-aH*C1[c1+2]+(D[d+28]*in2[v]+(aX*ab-aY*aa)),bi=aC*C1[c1+0]+aF*C1[c1+1]-aI*C1[c1+2]+(D[d+29]*in2[v]+(aY*a-aW*ab)),bj=aD*C1[c1+0]+aG*C1[c1+1]-aJ*C1[c1+2]+(D[d+30]*in2[v]+(aW*aa-aX*a)),bk=aN*C1[c1+0]+aO*C1[c1+1]-aP*C1[c1+2]+aB*C1[c1+3]-aE*C1[c1+4]+aH*C1[c1+5]+(D[d+25]*in2[v]+(b*ab-ba*aa-aY*ad+aX*ae)),bl=aQ*C1[c1+0]+aR*C1[c1+1]-aS*C1[c1+2]+aC*C1[c1+3]-aF*C1[c1+4]+aI*C1[c1+5]+(D[d+26]*in2[v]+(ba*a-aZ*ab+aY*ac-aW*ae)),bm=aT*C1[c1+0]+aU*C1[c1+1]-aV*C1[c1+2]+aD*C1[c1+3]-aG*C1[c1+4]+aJ*C1[c1+5]+(D[d+27]*in2[v]+(aZ*aa-b*a-aX*ac+aW*ad));
w[k+18]=D[d+36]*bh+D[d+37]*bi+D[d+38]*bj-D[d+42]*bl+D[d+43]*bm-(aY*bc-aX*bd+ba*bf-b*bg);
w[k+19]=D[d+37]*bh+D[d+39]*bi+D[d+40]*bj+D[d+42]*bk-D[d+44]*bm-(aW*bd-aY*bb-ba*be+aZ*bg);
w[k+20]=D[d+38]*bh+D[d+40]*bi+D[d+41]*bj-D[d+43]*bk+D[d+44]*bl-(aX*bb-aW*bc+b*be-aZ*bf);
w[k+21]=D[d+42]*bi-D[d+43]*bj+D[d+34]*bk-(aY*bf-aX*bg);
w[k+22]=D[d+44]*bj-D[d+42]*bh+D[d+34]*bl-(aW*bg-aY*be);
w[k+23]=D[d+43]*bh-D[d+44]*bi+D[d+34]*bm-(aX*be-aW*bf);
C0[o0+0]=-aW;
C0[o0+1]=aX;
C0[o0+2]=-aY;
C0[o0+3]=-aZ;
C0[o0+4]=b;
C0[o0+5]=ba;
C1[o1+0]=bh;
C1[o1+1]=bi;
C1[o1+2]=-bj;
C1[o1+3]=bk;
C1[o1+4]=-bl;
C1[o1+5]=bm;
}
function rnea_run_0_2(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1,c2,o2){
const a=w[k+18]-C2[o2+0],aa=w[k+19]-C2[o2+1],ab=w[k+20]-C2[o2+2],ac=w[k+21]+C2[o2+3],ad=w[k+22]+C2[o2+4],ae=w[k+23]+C2[o2+5];
C2[c2+0]+=-(w[k+0]*a+w[k+1]*aa+w[k+2]*ab+w[k+9]*ac+w[k+12]*ad+w[k+15]*ae);
C2[c2+1]+=-(w[k+3]*a+w[k+4]*aa+w[k+5]*ab+w[k+10]*ac+w[k+13]*ad+w[k+16]*ae);
C2[c2+2]+=-(w[k+6]*a+w[k+7]*aa+w[k+8]*ab+w[k+11]*ac+w[k+14]*ad+w[k+17]*ae);
C2[c2+3]+=w[k+0]*ac+w[k+1]*ad+w[k+2]*ae;
C2[c2+4]+=w[k+3]*ac+w[k+4]*ad+w[k+5]*ae;
C2[c2+5]+=w[k+6]*ac+w[k+7]*ad+w[k+8]*ae;
out0[i]=D[d+28]*a+D[d+29]*aa+D[d+30]*ab+D[d+25]*ac+D[d+26]*ad+D[d+27]*ae+D[d+35]*in2[v];
}
function rnea_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],in1=inputs[1],in2=inputs[2],out0=outputs[0],out1=outputs[1];
const C0=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
const C1=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
const C2=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
C2.fill(0);
const g=w.subarray(size,size+1),K=(link)=>tree[6*link+3];
C0[0]=0;
C0[1]=0;
C0[2]=0;
C0[3]=0;
C0[4]=0;
C0[5]=0;
C1[0]=0;
C1[1]=0;
C1[2]=0;
C1[3]=G[1];
C1[4]=G[0];
C1[5]=G[2];
for(let i=0;i<n;i++){const t=6*i;
if(tree[t+1]===0) rnea_run_0_1(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6);
}
for(let i=n-1;i>=0;i--){const t=6*i;
if(tree[t+1]===0) rnea_run_0_2(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6);
}
}
const RNEA={keep:24,carried:18,kept:1,inputs:[null, null, null],rows:["joints"],outputs:[["n"], [0]],run:rnea_run};
