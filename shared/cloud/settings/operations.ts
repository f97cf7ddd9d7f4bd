import { loadedOf } from '../../base/room.ts'
import { ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import { listedWhole } from '../../resource/listed.ts'
import type { OfferedCloud } from '../cloud-row.ts'
import {
  BackupSettings,
  CloudUnitQuery,
  CloudUnits,
  ExpiryNotification,
  KeyTotalsOfPlaces,
  KeyTotalsQuery,
  UpdateBackupSettings,
  UpdateExpiryNotification,
} from './model.ts'
import { getBackups, getNotification, notificationName, updateBackups, updateNotification } from './settings.ts'

const AT = '/v1/keymgr/settings'

/** Notices of expiring keys, for a cloud whose keys can expire. */
const notificationRoutes = (cloud: string): Route[] => [
  route(
    'GET',
    `${AT}/${notificationName(cloud)}`,
    operation(
      { summary: `Get ${cloud} Key Expiry Notification`, answers: ExpiryNotification, may: 'signed-in' },
      async ({ context }) => okStored(await getNotification(context, cloud)),
    ),
  ),
  route(
    'PATCH',
    `${AT}/${notificationName(cloud)}`,
    operation(
      {
        summary: `Update ${cloud} Key Expiry Notification`,
        body: UpdateExpiryNotification,
        answers: ExpiryNotification,
        may: 'admins',
      },
      async ({ body, context }) => okStored(await updateNotification(context, cloud, body)),
    ),
  ),
]

/** GET, PATCH /v1/keymgr/settings/backups */
const backups = [
  route(
    'GET',
    `${AT}/backups`,
    operation({ summary: 'Get Backup Settings', answers: BackupSettings, may: 'signed-in' }, async ({ context }) =>
      okStored(await getBackups(context)),
    ),
  ),
  route(
    'PATCH',
    `${AT}/backups`,
    operation(
      { summary: 'Update Backup Settings', body: UpdateBackupSettings, answers: BackupSettings, may: 'admins' },
      async ({ body, context }) => okStored(await updateBackups(context, body)),
    ),
  ),
]

/** GET /v1/keymgr/cloud-units. Ours: no cloud has a limit. */
const units = (clouds: readonly OfferedCloud[]): Route =>
  route(
    'GET',
    '/v1/keymgr/cloud-units',
    operation(
      { summary: 'List Cloud Units', query: CloudUnitQuery, answers: CloudUnits, may: 'signed-in' },
      async ({ query, context }) => {
        const all = clouds.map(async ({ name, records }) => ({
          cloud_name: name,
          used: await (await records()).countKeys(context.caller.domain.id),
          limit: -1,
        }))
        return ok(listedWhole(await Promise.all(all), query, ({ cloud_name }) => cloud_name))
      },
    ),
  )

/** GET /v1/keymgr/key-totals: of the places whose keys the caller may list. */
const totals = route(
  'GET',
  '/v1/keymgr/key-totals',
  operation(
    { summary: 'List Key Totals', query: KeyTotalsQuery, answers: KeyTotalsOfPlaces, may: 'signed-in' },
    async ({ query, context }) => {
      const counters = await loadedOf('keyTotals')
      const counts = await Promise.all(counters.map(({ count }) => count(context)))
      return ok(
        listedWhole(
          counts.filter((each) => each !== undefined),
          query,
          () => undefined,
        ),
      )
    },
  ),
)

export const settingsRoutes = (clouds: readonly OfferedCloud[]): readonly Route[] => [
  ...clouds.filter(({ expiring }) => expiring !== undefined).flatMap(({ name }) => notificationRoutes(name)),
  ...backups,
  units(clouds),
  totals,
]
