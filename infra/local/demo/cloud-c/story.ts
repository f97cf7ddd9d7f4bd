import * as z from 'zod'
import { CloudCKey } from '../../../../shared/clouds/cloud-c/keys/model.ts'
import { CloudCRing } from '../../../../shared/clouds/cloud-c/projects/model.ts'
import { CloudCVersion } from '../../../../shared/clouds/cloud-c/versions/model.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { CloudCConnection } from '../../../../shared/clouds/cloud-c/connections/model.ts'
import { reportModel } from '../../../../shared/clouds/cloud-c/report-model.ts'
import { remove } from '../demo.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { assertTold } from '../failure.ts'

const CLOUD_C = '/v1/keymgr/cloud-c'
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-c/connections'
const REPORTS = `${CLOUD_C}/reports`

const Endpoints = z.object({
  key_files: z.array(z.record(z.string(), z.string())).min(1),
  projects: z.array(z.object({ id: z.string(), key_rings: z.array(z.string()).min(1) })).min(1),
})

/** A key ring of the simulated cloud, and credentials for it. */
interface Place {
  /** key of a service account, in the JSON form that a connection accepts */
  readonly key_file: string
  readonly project: string
  readonly key_ring: string
}

/** The cloud with a key in it, and a report of that key's use. */
export const cloudCStory = (demo: Demo): CloudStory => ({
  work: async (local) => {
    const { narrator, passSeconds } = demo
    // Ours: on a running service, another domain may already manage the ring, and only one domain can
    if (passSeconds === undefined)
      return narrator.note("Cloud-c is shown on a service of the demo's own, where no other domain has its key rings.")
    const place = placeIn(demo.endpoints())
    await addRing(demo, place)
    const key = await uploadAndRotate(demo, place.key_ring, local)
    await report(demo, place.key_ring, key)
  },
  audited: [],
})

function placeIn(endpoints: unknown): Place {
  const { key_files, projects } = Endpoints.parse(endpoints)
  const [project] = projects
  return { key_file: JSON.stringify(key_files[0]), project: project?.id ?? '', key_ring: project?.key_rings[0] ?? '' }
}

async function addRing(demo: Demo, { key_file, project, key_ring }: Place): Promise<void> {
  const { narrator, service, undo } = demo
  const name = `${demo.name}-c`
  narrator.step("Cloud-c: connect with a service account's key file, and add a key ring")
  await service.call('POST', CONNECTIONS, {
    body: { name, key_file },
    answers: CloudCConnection,
    shows: ({ id, service: kind }) => ({ id, service: kind }),
  })
  undo.push(() => remove(demo, `${CONNECTIONS}/${name}`))
  const { key_rings } = await service.call('POST', `${CLOUD_C}/add-key-rings`, {
    body: { connection: name, project_id: project, key_rings: [{ name: key_ring }] },
    answers: z.object({ key_rings: z.array(CloudCRing) }),
    shows: ({ key_rings }) => ({ key_rings: key_rings.map((ring) => ring.name) }),
  })
  const [ring] = key_rings
  if (ring !== undefined) undo.push(() => removeRing(demo, ring))
}

/** Deletes the ring and the records of its keys; the cloud keeps both. */
async function removeRing({ service }: Demo, { id, project_id }: CloudCRing): Promise<void> {
  const gone = { answers: z.object({ status: z.literal(204) }), shows: (answer: { status: number }) => answer }
  await service.call('POST', `${CLOUD_C}/key-rings/${id}/remove-key-ring`, gone)
  const { resources } = await service.call('GET', `${CLOUD_C}/projects?project_id=${project_id}`, {
    answers: listOf(z.object({ id: z.string() })),
    shows: ({ total }) => ({ total }),
  })
  for (const project of resources) await service.call('DELETE', `${CLOUD_C}/projects/${project.id}`, gone)
}

async function uploadAndRotate(
  { narrator, service, name }: Demo,
  key_ring: string,
  local: { readonly id: string },
): Promise<CloudCKey> {
  narrator.step('Cloud-c: upload the local key through an import job, and rotate it by a version that the cloud makes')
  const key = await service.call('POST', `${CLOUD_C}/upload-key`, {
    body: { key_ring, source_key_id: local.id, cloud_c_params: { key_name: name, purpose: 'ENCRYPT_DECRYPT' } },
    answers: CloudCKey,
    shows: ({ id, key_material_origin, version_count }) => ({ id, key_material_origin, version_count }),
  })
  const version = await service.call('POST', `${CLOUD_C}/keys/${key.id}/versions`, {
    body: { is_native: true },
    answers: CloudCVersion,
    shows: ({ version_id, is_primary, state }) => ({ version_id, is_primary, state }),
  })
  assertTold(version.is_primary, 'the new version is what encrypts from now on')
  return key
}

async function report(demo: Demo, key_ring: string, { cloud_c_params: { key_name } }: CloudCKey): Promise<void> {
  const { narrator, service, name, undo } = demo
  narrator.step("Cloud-c: report what was done with the ring's keys, by the cloud's own audit log")
  const { id } = await service.call('POST', REPORTS, {
    body: { name, cloud_c_params: [{ key_ring }] },
    answers: reportModel.report,
    shows: ({ id, overall_status }) => ({ id, overall_status }),
  })
  undo.push(() => remove(demo, `${REPORTS}/${id}`))
  const ended = await service.until(`${REPORTS}/${id}`, {
    answers: reportModel.report,
    isThere: ({ overall_status }) => overall_status !== 'in_progress',
    shows: ({ overall_status, detailed_status }) => ({ overall_status, detailed_status }),
  })
  assertTold(ended.overall_status === 'completed', 'the report is complete')
  const { resources } = await service.call('GET', `${REPORTS}/${id}/contents?key_name=${key_name}&limit=-1`, {
    answers: listOf(reportModel.content),
    shows: ({ total, resources }) => ({ total, activities: resources.map(({ key_activity }) => key_activity) }),
  })
  assertTold(resources.length > 0, 'it tells of the key that was uploaded')
  await service.call('GET', `${REPORTS}/${id}/download`, {
    answers: z.string(),
    shows: (text) => ({ lines: text.split('\r\n').slice(0, 4) }),
  })
}
