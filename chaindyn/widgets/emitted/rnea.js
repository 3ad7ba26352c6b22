// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function rnea_run_0_1(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+28]*in1[v],aa=D[d+29]*in1[v],ab=D[d+30]*in1[v],ac=D[d+25]*in1[v],ad=D[d+26]*in1[v],ae=D[d+27]*in1[v],af=D[d+15]*in0[q],ag=Math.cos(af),ah=Math.sin(af),ai=ag*D[d+17],aj=ag*D[d+18],ak=ag*D[d+20],al=ah*D[d+14],am=ah*D[d+13],an=ah*D[d+12],ao=ag*D[d+22]+D[d+16],ap=D[d+17]-(ai+al),aq=am-aj+D[d+18],ar=al-ai+D[d+17],at=ag*D[d+23]+D[d+19],au=D[d+20]-(ak+an),av=D[d+18]-(aj+am),aw=an-ak+D[d+20],ax=ag*D[d+24]+D[d+21],ay=D[d+25]*in0[q],az=D[d+26]*in0[q],aA=D[d+27]*in0[q],aB=D[d+0]*ao+D[d+1]*ar+D[d+2]*av;
w[o+18]=aB;
const aC=D[d+0]*ap+D[d+1]*at+D[d+2]*aw;
w[o+19]=aC;
const aD=D[d+0]*aq+D[d+1]*au+D[d+2]*ax;
w[o+20]=aD;
const aE=D[d+3]*ao+D[d+4]*ar+D[d+5]*av;
w[o+21]=aE;
const aF=D[d+3]*ap+D[d+4]*at+D[d+5]*aw;
w[o+22]=aF;
const aG=D[d+3]*aq+D[d+4]*au+D[d+5]*ax;
w[o+23]=aG;
const aH=D[d+6]*ao+D[d+7]*ar+D[d+8]*av;
w[o+24]=aH;
const aI=D[d+6]*ap+D[d+7]*at+D[d+8]*aw;
w[o+25]=aI;
const aJ=D[d+6]*aq+D[d+7]*au+D[d+8]*ax;
w[o+26]=aJ;
const aK=D[d+9]+(D[d+0]*ay+D[d+1]*az+D[d+2]*aA),aL=D[d+10]+(D[d+3]*ay+D[d+4]*az+D[d+5]*aA),aM=D[d+11]+(D[d+6]*ay+D[d+7]*az+D[d+8]*aA),aN=aH*aL-aE*aM;
w[o+27]=aN;
const aO=aB*aM-aH*aK;
w[o+28]=aO;
const aP=aE*aK-aB*aL;
w[o+29]=aP;
const aQ=aI*aL-aF*aM;
w[o+30]=aQ;
const aR=aC*aM-aI*aK;
w[o+31]=aR;
const aS=aF*aK-aC*aL;
w[o+32]=aS;
const aT=aJ*aL-aG*aM;
w[o+33]=aT;
const aU=aD*aM-aJ*aK;
w[o+34]=aU;
const aV=aG*aK-aD*aL;
w[o+35]=aV;
const aW=aB*w[p+6]+aE*w[p+7]+aH*w[p+8]+a,aX=aC*w[p+6]+aF*w[p+7]+aI*w[p+8]+aa,aY=aD*w[p+6]+aG*w[p+7]+aJ*w[p+8]+ab,aZ=aN*w[p+6]+aO*w[p+7]+aP*w[p+8]+aB*w[p+9]+aE*w[p+10]+aH*w[p+11]+ac,b=aQ*w[p+6]+aR*w[p+7]+aS*w[p+8]+aC*w[p+9]+aF*w[p+10]+aI*w[p+11]+ad,ba=aT*w[p+6]+aU*w[p+7]+aV*w[p+8]+aD*w[p+9]+aG*w[p+10]+aJ*w[p+11]+ae,bb=D[d+36]*aW+D[d+37]*aX+D[d+38]*aY-D[d+42]*b+D[d+43]*ba,bc=D[d+37]*aW+D[d+39]*aX+D[d+40]*aY+D[d+42]*aZ-D[d+44]*ba,bd=D[d+38]*aW+D[d+40]*aX+D[d+41]*aY-D[d+43]*aZ+D[d+44]*b,be=D[d+42]*aX-D[d+43]*aY+D[d+34]*aZ,bf=D[d+44]*aY-D[d+42]*aW+D[d+34]*b,bg=D[d+43]*aW-D[d+44]*aX+D[d+34]*ba,bh=aB*w[p+12]+aE*w[p+13]+aH*w[p+14]+(D[d+28]*in2[v]+(aX*ab-aY*aa)),bi=aC*w[p+12]+aF*w[p+13]+aI*w[p+14]+(D[d+29]*in2[v]+(aY*a-aW*ab)),bj=aD*w[p+12]+aG*w[p+13]+aJ*w[p+14]+(D[d+30]*in2[v]+(aW*aa-aX*a)),bk=aN*w[p+12]+aO*w[p+13]+aP*w[p+14]-aB*w[p+15]-aE*w[p+16]-aH*w[p+17]+(D[d+25]*in2[v]+(b*ab-ba*aa-aY*ad+aX*ae)),bl=aQ*w[p+12]+aR*w[p+13]+aS*w[p+14]-aC*w[p+15]-aF*w[p+16]-aI*w[p+17]+(D[d+26]*in2[v]+(ba*a-aZ*ab+aY*ac-aW*ae)),bm=aT*w[p+12]+aU*w[p+13]+aV*w[p+14]-aD*w[p+15]-aG*w[p+16]-aJ*w[p+17]+(D[d+27]*in2[v]+(aZ*aa-b*a-aX*ac+aW*ad));
w[o+36]=D[d+36]*bh+D[d+37]*bi+D[d+38]*bj-D[d+42]*bl+D[d+43]*bm-(aY*bc-aX*bd+ba*bf-b*bg);
w[o+37]=D[d+37]*bh+D[d+39]*bi+D[d+40]*bj+D[d+42]*bk-D[d+44]*bm-(aW*bd-aY*bb-ba*be+aZ*bg);
w[o+38]=D[d+38]*bh+D[d+40]*bi+D[d+41]*bj-D[d+43]*bk+D[d+44]*bl-(aX*bb-aW*bc+b*be-aZ*bf);
w[o+39]=D[d+42]*bi-D[d+43]*bj+D[d+34]*bk-(aY*bf-aX*bg);
w[o+40]=D[d+44]*bj-D[d+42]*bh+D[d+34]*bl-(aW*bg-aY*be);
w[o+41]=D[d+43]*bh-D[d+44]*bi+D[d+34]*bm-(aX*be-aW*bf);
w[o+6]=aW;
w[o+7]=aX;
w[o+8]=aY;
w[o+9]=aZ;
w[o+10]=b;
w[o+11]=ba;
w[o+12]=bh;
w[o+13]=bi;
w[o+14]=bj;
w[o+15]=-bk;
w[o+16]=-bl;
w[o+17]=-bm;
}
function rnea_run_0_2(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,d,o,p,q,v){
const a=w[o+36]+w[o+0],aa=w[o+37]+w[o+1],ab=w[o+38]+w[o+2],ac=w[o+39]+w[o+3],ad=w[o+40]+w[o+4],ae=w[o+41]+w[o+5];
w[p+0]+=w[o+18]*a+w[o+19]*aa+w[o+20]*ab+w[o+27]*ac+w[o+30]*ad+w[o+33]*ae;
w[p+1]+=w[o+21]*a+w[o+22]*aa+w[o+23]*ab+w[o+28]*ac+w[o+31]*ad+w[o+34]*ae;
w[p+2]+=w[o+24]*a+w[o+25]*aa+w[o+26]*ab+w[o+29]*ac+w[o+32]*ad+w[o+35]*ae;
w[p+3]+=w[o+18]*ac+w[o+19]*ad+w[o+20]*ae;
w[p+4]+=w[o+21]*ac+w[o+22]*ad+w[o+23]*ae;
w[p+5]+=w[o+24]*ac+w[o+25]*ad+w[o+26]*ae;
out0[i]=D[d+28]*a+D[d+29]*aa+D[d+30]*ab+D[d+25]*ac+D[d+26]*ad+D[d+27]*ae+D[d+35]*in2[v];
}
function rnea_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],in1=inputs[1],in2=inputs[2],out0=outputs[0],out1=outputs[1],g=w.subarray(keep);
w.fill(0,0,6);for(let i=0;i<n;i++)w.fill(0,K(i),K(i)+6);
w[6]=0;
w[7]=0;
w[8]=0;
w[9]=0;
w[10]=0;
w[11]=0;
w[12]=0;
w[13]=0;
w[14]=0;
w[15]=G[0];
w[16]=G[1];
w[17]=G[2];
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) rnea_run_0_1(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
for(let i=n-1;i>=0;i--){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) rnea_run_0_2(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
}
export const RNEA={keep:42,carried:18,kept:1,inputs:[null, null, null],rows:["joints"],outputs:[["n"], [0]],run:rnea_run};
