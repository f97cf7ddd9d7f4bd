import type { CloudRow } from '../cloud/cloud-row.ts'
import { cloudA } from './cloud-a/cloud.ts'
import { cloudB } from './cloud-b/cloud.ts'
import { cloudC } from './cloud-c/cloud.ts'
import { cloudD } from './cloud-d/cloud.ts'
import { crm } from './crm/cloud.ts'
import { datacust } from './datacust/cloud.ts'

/** Every cloud, one row each: the only list of clouds. */
export const CLOUDS: readonly CloudRow[] = [cloudA, cloudB, cloudC, cloudD, crm, datacust]
