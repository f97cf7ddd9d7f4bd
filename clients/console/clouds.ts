import { cloudA } from './clouds/cloud-a/row.ts'
import { cloudB } from './clouds/cloud-b/row.ts'
import { cloudC } from './clouds/cloud-c/row.ts'
import { cloudD } from './clouds/cloud-d/row.ts'
import { crm } from './clouds/crm/row.ts'
import { datacust } from './clouds/datacust/row.ts'
import { local } from './clouds/local/row.ts'
import type { CloudRow, PlaceRow } from './clouds/row.ts'

/** All clouds, in the order of display. */
export const CLOUDS: readonly CloudRow[] = [cloudA, cloudB, cloudC, cloudD, crm, datacust]

/** All places with keys. */
export const PLACES: readonly PlaceRow[] = [local, ...CLOUDS]

const named =
  <R extends PlaceRow>(rows: readonly R[]) =>
  (name: string | undefined): R | undefined =>
    name === undefined ? rows[0] : rows.find((each) => each.name === name)

/** The first cloud if an address names none. */
export const cloudNamed = named(CLOUDS)
export const placeNamed = named(PLACES)
