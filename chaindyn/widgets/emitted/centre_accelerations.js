// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function centre_accelerations_run_0_1(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1,c2,o2){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=C0[c0+0]*av+C0[c0+1]*ay+C0[c0+2]*aB,aI=C0[c0+0]*aw+C0[c0+1]*az+C0[c0+2]*aC,aJ=C0[c0+0]*ax+C0[c0+1]*aA+C0[c0+2]*aD,aK=C0[c0+3]*av+C0[c0+4]*ay+C0[c0+5]*aB,aL=C0[c0+3]*aw+C0[c0+4]*az+C0[c0+5]*aC,aM=C0[c0+3]*ax+C0[c0+4]*aA+C0[c0+5]*aD,aN=C0[c0+6]*av+C0[c0+7]*ay+C0[c0+8]*aB,aO=C0[c0+6]*aw+C0[c0+7]*az+C0[c0+8]*aC,aP=C0[c0+6]*ax+C0[c0+7]*aA+C0[c0+8]*aD,aQ=D[d+28]*in1[v],aR=D[d+29]*in1[v],aS=D[d+30]*in1[v],aT=D[d+25]*in1[v],aU=D[d+26]*in1[v],aV=D[d+27]*in1[v],aW=aB*aF-ay*aG,aX=av*aG-aB*aE,aY=ay*aE-av*aF,aZ=aC*aF-az*aG,b=aw*aG-aC*aE,ba=az*aE-aw*aF,bb=aD*aF-aA*aG,bc=ax*aG-aD*aE,bd=aA*aE-ax*aF,be=ay*C1[c1+1]-av*C1[c1+0]-aB*C1[c1+2]+aQ,bf=az*C1[c1+1]-aw*C1[c1+0]-aC*C1[c1+2]+aR,bg=aA*C1[c1+1]-ax*C1[c1+0]-aD*C1[c1+2]+aS,bh=aX*C1[c1+1]-aW*C1[c1+0]-aY*C1[c1+2]-av*C1[c1+3]+ay*C1[c1+4]+aB*C1[c1+5]+aT,bi=b*C1[c1+1]-aZ*C1[c1+0]-ba*C1[c1+2]-aw*C1[c1+3]+az*C1[c1+4]+aC*C1[c1+5]+aU,bj=bc*C1[c1+1]-bb*C1[c1+0]-bd*C1[c1+2]-ax*C1[c1+3]+aA*C1[c1+4]+aD*C1[c1+5]+aV,bk=aB*C2[c2+2]-(av*C2[c2+0]+ay*C2[c2+1])+(D[d+28]*in2[v]+(bf*aS-bg*aR)),bl=aC*C2[c2+2]-(aw*C2[c2+0]+az*C2[c2+1])+(D[d+29]*in2[v]+(bg*aQ-be*aS)),bm=aD*C2[c2+2]-(ax*C2[c2+0]+aA*C2[c2+1])+(D[d+30]*in2[v]+(be*aR-bf*aQ)),bn=aY*C2[c2+2]-(aW*C2[c2+0]+aX*C2[c2+1])-av*C2[c2+3]-ay*C2[c2+4]-aB*C2[c2+5]+(D[d+25]*in2[v]+(bi*aS-bj*aR-bg*aU+bf*aV)),bo=ba*C2[c2+2]-(aZ*C2[c2+0]+b*C2[c2+1])-aw*C2[c2+3]-az*C2[c2+4]-aC*C2[c2+5]+(D[d+26]*in2[v]+(bj*aQ-bh*aS+bg*aT-be*aV)),bp=bd*C2[c2+2]-(bb*C2[c2+0]+bc*C2[c2+1])-ax*C2[c2+3]-aA*C2[c2+4]-aD*C2[c2+5]+(D[d+27]*in2[v]+(bh*aR-bi*aQ-bf*aT+be*aU)),bq=D[d+33]*bf-D[d+32]*bg+bh,br=D[d+31]*bg-D[d+33]*be+bi,bs=D[d+32]*be-D[d+31]*bf+bj,bt=D[d+33]*bl-D[d+32]*bm+bn+(bf*bs-bg*br),bu=D[d+31]*bm-D[d+33]*bk+bo+(bg*bq-be*bs),bv=D[d+32]*bk-D[d+31]*bl+bp+(be*br-bf*bq);
C0[o0+0]=aH;
C0[o0+1]=aI;
C0[o0+2]=aJ;
C0[o0+3]=aK;
C0[o0+4]=aL;
C0[o0+5]=aM;
C0[o0+6]=aN;
C0[o0+7]=aO;
C0[o0+8]=aP;
C1[o1+0]=-be;
C1[o1+1]=bf;
C1[o1+2]=-bg;
C1[o1+3]=-bh;
C1[o1+4]=bi;
C1[o1+5]=bj;
C2[o2+0]=-bk;
C2[o2+1]=-bl;
C2[o2+2]=bm;
C2[o2+3]=-bn;
C2[o2+4]=-bo;
C2[o2+5]=-bp;
out0[i*3]=aH*bt+aI*bu+aJ*bv;
out0[i*3+1]=aK*bt+aL*bu+aM*bv;
out0[i*3+2]=aN*bt+aO*bu+aP*bv;
}
function centre_accelerations_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],in1=inputs[1],in2=inputs[2],out0=outputs[0],out1=outputs[1];
const C0=w.subarray(size,size+(n+1)*9); size+=(n+1)*9;
const C1=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
const C2=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
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
C1[0]=0;
C1[1]=0;
C1[2]=0;
C1[3]=0;
C1[4]=0;
C1[5]=0;
C2[0]=0;
C2[1]=0;
C2[2]=0;
C2[3]=0;
C2[4]=0;
C2[5]=0;
for(let i=0;i<n;i++){const t=6*i;
if(tree[t+1]===0) centre_accelerations_run_0_1(D,G,in0,in1,in2,out0,out1,C0,C1,C2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*9,(i+1)*9,(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*6,(i+1)*6);
}
}
const CENTRE_ACCELERATIONS={keep:0,carried:21,kept:1,inputs:[null, null, null],rows:["links"],outputs:[["n", 3], [0]],run:centre_accelerations_run};
