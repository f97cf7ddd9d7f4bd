import type * as z from 'zod'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import type { Reported } from '../../work/report/reported.ts'
import type { ContentRow } from '../../work/report/store.ts'
import { crm } from './adapter.ts'
import type { CrmPlace } from './adapter/types.ts'
import { crmSecrets, secretsOfOrganization, type StoredCrmSecret } from './keys/store.ts'
import { NAME } from './name.ts'
import { organizationKind } from './organizations/kind.ts'
import type { StoredCrmOrganization } from './organizations/store.ts'
import { openOrganization } from './place.ts'
import { reportModel } from './report-model.ts'

/** Fields of every row about a secret of an organization, or about the whole organization. */
const about =
  ({ name, organization_id, cloud_name }: StoredCrmOrganization) =>
  (ref: string, secret: StoredCrmSecret | undefined): ContentRow => ({
    key_name: secret?.name ?? ref,
    type: secret?.crm_param.type ?? '',
    organization: name,
    tenant: organization_id,
    region: '',
    cloud_name,
    key_expiration: secret?.expires_at ?? null,
  })

interface Span {
  readonly from: Date
  readonly to: Date
}

/**
 * Events of the cloud's log of platform encryption, one daily file after the other. Ours: an event of the connection's
 * user counts as made by this service.
 */
const logEntries =
  (place: CrmPlace, { from, to }: Span) =>
  async (cursor = '0') => {
    const files = await crm.logFiles(place, from, to)
    const at = Number(cursor)
    const file = files[at]
    const items = file === undefined ? [] : await crm.activity(place, file)
    const isWithin = (time: string): boolean => Date.parse(time) >= from.getTime() && Date.parse(time) < to.getTime()
    const entries = items
      .filter(({ time }) => isWithin(time))
      .map(({ id, ref, activity, time, user }) => ({
        id,
        ref,
        activity,
        at: time,
        user,
        isOurs: user === place.connection.username,
      }))
    return { entries, next: at + 1 < files.length ? String(at + 1) : undefined }
  }

/** Reports on organizations. */
export const crmReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
  listedAs: 'organizations',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['type', 'type'],
    ['organization', 'organization'],
    ['tenant', 'tenant'],
    ['key activity', 'key_activity'],
    ['modified date', 'modified_time'],
    ['cloud', 'cloud_name'],
  ],
  named: (context, { crm_params: params }) =>
    Promise.all(
      params.map(async ({ organization_id: named }, at) => {
        const field = { pointer: `#/crm_params/${at}/organization_id`, detail: 'is no organization that you may see' }
        const { item } = await findContainerFor(organizationKind, context, named, 'reportcreate', field)
        return { id: item.id, name: item.organization_id, listed: item.organization_id, place: '' }
      }),
    ),
  containersWith: containersWith(organizationKind, 'removing organizations'),
  open: async (domain, container, report, { now, budget }) => {
    const { item: organization } = await containerById(organizationKind, domain, container.id)
    const keys = {
      domain,
      keys: crmSecrets,
      family: secretsOfOrganization(organization.id),
      about: about(organization),
    }
    const ageOf = ({ crm_param: { crm_id, created_date, version }, createdAt }: StoredCrmSecret) => ({
      ref: crm_id,
      since: created_date ?? createdAt,
      isRotated: version > 1,
    })
    const log = async () => {
      const place = await openOrganization(domain, organization, { now, budget, patience: 'job' })
      return logEntries(place, { from: new Date(report.start_time), to: new Date(report.end_time) })
    }
    return reportOn(report, container, { now, budget }, { keys, ageOf, log })
  },
}
