import { containerRoutes } from '../../../../shared/cloud/containers/container-routes.ts'
import { getKey } from '../../../../shared/cloud/keys/find-key.ts'
import { cloudKeyPassport } from '../../../../shared/cloud/keys/passport.ts'
import { KeyPassport } from '../../../../shared/audit/passport/model.ts'
import type { Route } from '../../../../shared/http/operation.ts'
import { routesOn } from '../../../../shared/resource/routes.ts'
import { synchronizationRoutes } from '../../../../shared/work/synchronize/operations.ts'
import { ACTIONS, AddBox, addBox, Box, boxKind, BoxQuery } from './boxes.ts'
import { CreateKey, Key, KeyQuery, RotateKey, RotationJob, UploadKey } from './key-model.ts'
import { keyKind } from './kind.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { createKey, doing, enableRotationJob, listKeys, rotateKey, uploadKey } from './verbs.ts'

const BASE = `/v1/keymgr/${NAME}`
const onBoxes = containerRoutes(boxKind, {
  at: `${BASE}/boxes`,
  noun: 'Throw-away Box',
  plural: 'Throw-away Boxes',
  answers: Box,
  query: BoxQuery,
  actions: ACTIONS,
})
const on = routesOn({ at: `${BASE}/keys`, answers: Key, reads: 'keymgr-users', changes: 'keymgr-users' })

export const routes: readonly Route[] = [
  ...onBoxes.usual,
  onBoxes.create('Add Throw-away Box', AddBox, addBox),
  on.list('List Throw-away Keys', KeyQuery, listKeys),
  on.create('Create Throw-away Key', CreateKey, createKey),
  on.create('Upload Throw-away Key', UploadKey, uploadKey, `${BASE}/upload-key`),
  on.get('Get Throw-away Key', (context, id) => getKey(keyKind, context, id)),
  on.tell('GET', 'passport', 'Get Throw-away Key Passport', KeyPassport, cloudKeyPassport(keyKind)),
  on.act('refresh', 'Refresh Throw-away Key', doing('refresh')),
  on.succeed('rotate', 'Rotate Throw-away Key', RotateKey, rotateKey),
  on.act('enable-rotation-job', 'Enable Throw-away Key Rotation Job', enableRotationJob, RotationJob),
  ...synchronizationRoutes(`${BASE}/synchronization-jobs`, {
    source: { cloud_name: NAME },
    containerList: CONTAINER_LIST,
    noun: 'Throw-away Synchronization',
  }),
]
