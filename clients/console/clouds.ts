import { cloudA } from './clouds/cloud-a.ts'
import { cloudB } from './clouds/cloud-b.ts'
import { cloudC } from './clouds/cloud-c.ts'
import { local } from './clouds/local.ts'
import type { CloudRow } from './clouds/row.ts'

/** Every place where keys are, in the order in which it is shown. */
export const CLOUDS: readonly CloudRow[] = [local, cloudA, cloudB, cloudC]

/** The first one where an address names none. */
export const cloudNamed = (name: string | undefined): CloudRow | undefined =>
  name === undefined ? CLOUDS[0] : CLOUDS.find((each) => each.name === name)
