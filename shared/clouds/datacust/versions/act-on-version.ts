import { versionActionsOn } from '../../../cloud/keys/versions/act-on-version.ts'
import { datacust } from '../adapter.ts'
import { keyKind, type DatacustTypes } from '../keys/kind.ts'
import { UpdateDatacustVersion } from './model.ts'

/** The change of one version, which is safe to repeat. The cloud refuses to disable the primary version. */
export const VERSION_ACTIONS = versionActionsOn<DatacustTypes>(keyKind, 'act-on-datacust-version', {
  update: {
    summary: 'Update Datacust Key Version',
    may: 'keyupdate',
    body: UpdateDatacustVersion,
    call: (place, ref, version, change) => datacust.updateVersion(place, ref, version, change),
  },
})
