// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function centre_accelerations_run_0_1(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=w[p+0]*av+w[p+1]*ay+w[p+2]*aB,aI=w[p+0]*aw+w[p+1]*az+w[p+2]*aC,aJ=w[p+0]*ax+w[p+1]*aA+w[p+2]*aD,aK=w[p+3]*av+w[p+4]*ay+w[p+5]*aB,aL=w[p+3]*aw+w[p+4]*az+w[p+5]*aC,aM=w[p+3]*ax+w[p+4]*aA+w[p+5]*aD,aN=w[p+6]*av+w[p+7]*ay+w[p+8]*aB,aO=w[p+6]*aw+w[p+7]*az+w[p+8]*aC,aP=w[p+6]*ax+w[p+7]*aA+w[p+8]*aD,aQ=D[d+28]*in1[v],aR=D[d+29]*in1[v],aS=D[d+30]*in1[v],aT=D[d+25]*in1[v],aU=D[d+26]*in1[v],aV=D[d+27]*in1[v],aW=aB*aF-ay*aG,aX=av*aG-aB*aE,aY=ay*aE-av*aF,aZ=aC*aF-az*aG,b=aw*aG-aC*aE,ba=az*aE-aw*aF,bb=aD*aF-aA*aG,bc=ax*aG-aD*aE,bd=aA*aE-ax*aF,be=av*w[p+9]+ay*w[p+10]+aB*w[p+11]+aQ,bf=aw*w[p+9]+az*w[p+10]+aC*w[p+11]+aR,bg=ax*w[p+9]+aA*w[p+10]+aD*w[p+11]+aS,bh=aW*w[p+9]+aX*w[p+10]+aY*w[p+11]+av*w[p+12]+ay*w[p+13]+aB*w[p+14]+aT,bi=aZ*w[p+9]+b*w[p+10]+ba*w[p+11]+aw*w[p+12]+az*w[p+13]+aC*w[p+14]+aU,bj=bb*w[p+9]+bc*w[p+10]+bd*w[p+11]+ax*w[p+12]+aA*w[p+13]+aD*w[p+14]+aV,bk=av*w[p+15]+ay*w[p+16]+aB*w[p+17]+(D[d+28]*in2[v]+(bf*aS-bg*aR)),bl=aw*w[p+15]+az*w[p+16]+aC*w[p+17]+(D[d+29]*in2[v]+(bg*aQ-be*aS)),bm=ax*w[p+15]+aA*w[p+16]+aD*w[p+17]+(D[d+30]*in2[v]+(be*aR-bf*aQ)),bn=aW*w[p+15]+aX*w[p+16]+aY*w[p+17]+av*w[p+18]+ay*w[p+19]+aB*w[p+20]+(D[d+25]*in2[v]+(bi*aS-bj*aR-bg*aU+bf*aV)),bo=aZ*w[p+15]+b*w[p+16]+ba*w[p+17]+aw*w[p+18]+az*w[p+19]+aC*w[p+20]+(D[d+26]*in2[v]+(bj*aQ-bh*aS+bg*aT-be*aV)),bp=bb*w[p+15]+bc*w[p+16]+bd*w[p+17]+ax*w[p+18]+aA*w[p+19]+aD*w[p+20]+(D[d+27]*in2[v]+(bh*aR-bi*aQ-bf*aT+be*aU)),bq=D[d+33]*bf-D[d+32]*bg+bh,br=D[d+31]*bg-D[d+33]*be+bi,bs=D[d+32]*be-D[d+31]*bf+bj,bt=D[d+33]*bl-D[d+32]*bm+bn+(bf*bs-bg*br),bu=D[d+31]*bm-D[d+33]*bk+bo+(bg*bq-be*bs),bv=D[d+32]*bk-D[d+31]*bl+bp+(be*br-bf*bq);
w[o+0]=aH;
w[o+1]=aI;
w[o+2]=aJ;
w[o+3]=aK;
w[o+4]=aL;
w[o+5]=aM;
w[o+6]=aN;
w[o+7]=aO;
w[o+8]=aP;
w[o+9]=be;
w[o+10]=bf;
w[o+11]=bg;
w[o+12]=bh;
w[o+13]=bi;
w[o+14]=bj;
w[o+15]=bk;
w[o+16]=bl;
w[o+17]=bm;
w[o+18]=bn;
w[o+19]=bo;
w[o+20]=bp;
out0[i*3]=aH*bt+aI*bu+aJ*bv;
out0[i*3+1]=aK*bt+aL*bu+aM*bv;
out0[i*3+2]=aN*bt+aO*bu+aP*bv;
}
function centre_accelerations_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],in1=inputs[1],in2=inputs[2],out0=outputs[0],out1=outputs[1],g=w.subarray(keep);
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
w[12]=0;
w[13]=0;
w[14]=0;
w[15]=0;
w[16]=0;
w[17]=0;
w[18]=0;
w[19]=0;
w[20]=0;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) centre_accelerations_run_0_1(D,G,in0,in1,in2,out0,out1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
}
export const CENTRE_ACCELERATIONS={keep:21,carried:21,kept:1,inputs:[null, null, null],rows:["links"],outputs:[["n", 3], [0]],run:centre_accelerations_run};
