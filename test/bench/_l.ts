// @ts-nocheck
import { openDatabase } from '../../src/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createApplier } from '../../src/apply/apply.job.ts';
import { insertDeliveries } from '../../src/receive/inbox.store.ts';
import { postmasterOf, readCpu } from './machine.ts';
import { benchEvent } from './events.ts';
import { readFileSync } from 'node:fs';
import pgm from 'pg';
const acc=new Map();
if(process.env.ST){const q0=pgm.Client.prototype.query;
pgm.Client.prototype.query=function(...a){const text=(typeof a[0]==='string'?a[0]:a[0].text??'').replace(/\s+/g,' ').trim().slice(0,60);const cpu=()=>{try{return Number(readFileSync('/proc/'+this.processID+'/schedstat','utf8').split(' ')[0])/1e6;}catch{return 0}};const t=cpu(),w=performance.now();const r=q0.apply(this,a);if(r?.then)r.then(()=>{const e=acc.get(text)??[0,0,0];e[0]+=cpu()-t;e[1]++;e[2]+=performance.now()-w;acc.set(text,e);});return r;};}
const log=createLog({level:'error'});
const server=await startEmbeddedPostgres({temporary:true}); const pm=await postmasterOf(server.folder);
const database=openDatabase({connectionString:server.connectionString,log,maxConnections:8}); await migrateToLatest(database.db);
const N=20000; const rates=[];
for(let r=0;r<Number(process.env.R??6);r++){
 const evs=Array.from({length:N},(_,i)=>{const body=benchEvent(`r${r}_`,i);return {eventId:JSON.parse(body.toString()).id,subscription:'',deliveryId:'x',secretId:'s',signedAtSeconds:1795132800,body}});
 for(let i=0;i<N;i+=250) await insertDeliveries(database.pool,{organisationId:'org_bench',receivedAt:new Date(),deliveries:evs.slice(i,i+250).sort((a,b)=>a.eventId<b.eventId?-1:1)});
 const applier=createApplier({db:database.db,clock:systemClock,log,organisationId:'org_bench',brandTokens:{fromWire:x=>x}});
 if(r===1)acc.clear();
 const c1=await readCpu(pm,0); const t1=performance.now(); let n=0; for(;;){const x=await applier.drainOnce();if(x===0)break;n+=x;}
 const t2=performance.now(); const c2=await readCpu(pm,0);
 const f=(x)=>(x*1e6/N).toFixed(0); rates.push([Math.round(n/((t2-t1)/1000)),f(c2.postgres-c1.postgres),f(c2.server-c1.server)].join('/'));
}
console.log(rates.join('  '));
for(const [k,[t,n,w]] of [...acc].sort((a,b)=>b[1][0]-a[1][0]).slice(0,14))console.log(k.padEnd(62),(t/N/(Number(process.env.R??6)-1)*1000).toFixed(1),'us/event cpu', (w/n).toFixed(2),'ms wall each',n);
await database.close(); await server.stop();
