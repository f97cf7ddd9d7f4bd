import { cloudA } from './cloud-a/simulator-row.ts'
import { cloudB } from './cloud-b/simulator-row.ts'
import { cloudC } from './cloud-c/simulator-row.ts'
import { cloudD } from './cloud-d/simulator-row.ts'
import { crm } from './crm/simulator-row.ts'
import { datacust } from './datacust/simulator-row.ts'
import { docsuite } from './docsuite/simulator-row.ts'
import { workspace } from './workspace/simulator-row.ts'

/** All simulated clouds, in the order of `endpoints.json` and of the demo. */
export const SIMULATORS = [cloudA, cloudB, cloudC, cloudD, crm, datacust, docsuite, workspace] as const

type Row = (typeof SIMULATORS)[number]

/** The simulators of a deployment, by the `member` of their rows. */
export type Simulators = { readonly [R in Row as R['member']]: Awaited<ReturnType<R['start']>>['simulator'] }
