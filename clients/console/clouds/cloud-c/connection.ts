import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import { whole, type ConnectionRow, type Found } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { inParts } from '../parts.ts'
import { createCloudCConnection } from './described.ts'

/** Locations that are asked for their key rings at once. */
const AT_ONCE = 8

/** A page of a look-up: its token is the name of a member of body and answer. */
const after = (page_token: string | undefined): object => (page_token === undefined ? {} : { page_token })

const ringsIn = (connection: string, project_id: string, location: string, signal: AbortSignal) =>
  whole(async (token) => {
    const body = { connection, project_id, location, ...after(token) }
    const answer = await keymgr.post('/v1/keymgr/cloud-c/get-key-rings', { body, signal })
    return { items: answer.key_rings, next: answer.next_page_token }
  })

async function ringsOf(connection: string, project_id: string, signal: AbortSignal): Promise<readonly Found[]> {
  const locations = await whole(async (token) => {
    const body = { connection, project_id, ...after(token) }
    const answer = await keymgr.post('/v1/keymgr/cloud-c/get-locations', { body, signal })
    return { items: answer.locations, next: answer.next_page_token }
  })
  const { resources } = await firstOf('/v1/keymgr/cloud-c/key-rings', { project_id }, signal)
  const known = new Set(resources.map(({ name }) => name))
  const found: Found[] = []
  for (const part of inParts(locations, AT_ONCE)) {
    const rings = await Promise.all(
      part.map(async (location) =>
        (await ringsIn(connection, project_id, location, signal)).map(({ name: id }) => ({
          ...{ id, title: id.replace(/^.*\//, ''), detail: location, isAdded: known.has(id) },
        })),
      ),
    )
    found.push(...rings.flat())
  }
  return found
}

export const CONNECTION: ConnectionRow = {
  service: 'cloud-c',
  name: 'cloud-c',
  title: 'Cloud-c',
  about: 'Keys in the key rings of a project.',
  fields: [],
  ways: [
    {
      title: 'Key file',
      fields: described(createCloudCConnection, [
        { name: 'key_file', label: 'Key file', kind: 'file', hint: 'The JSON file of a service account.' },
      ]),
    },
  ],
  rest: described(createCloudCConnection, [{ name: 'cloud_name', label: 'Edition' }]),
  help: [
    {
      title: 'What cloud-c must allow',
      steps: [
        'Make a service account for this service.',
        'Give it the role Cloud KMS Admin on the project. To read keys, Cloud KMS Viewer is enough.',
        'Make a key of type JSON for it, and choose the file here.',
      ],
    },
  ],
  faults: [
    {
      matches: /invalid_grant|account not found|signature/i,
      step: 'log_in',
      next: ['The key of the service account may be deleted: make a new key of type JSON.'],
    },
    {
      matches: /PERMISSION_DENIED|permission/i,
      step: 'permission',
      next: ['Give the service account the role Cloud KMS Viewer on the project.'],
    },
  ],
  finding: {
    noun: 'key ring',
    nothing: 'No key ring is here. Rings are made in the cloud; other projects may have some.',
    find: async (connection, [project], signal) => {
      if (project !== undefined) return ringsOf(connection, project, signal)
      const projects = await whole(async (token) => {
        const body = { connection, ...after(token) }
        const answer = await keymgr.post('/v1/keymgr/cloud-c/get-projects', { body, signal })
        return { items: answer.projects, next: answer.next_page_token }
      })
      return projects.map(({ project_id: id, name }) => ({ id, title: name, detail: id, opens: true }))
    },
    add: (connection, ticked) =>
      [...Map.groupBy(ticked, ({ path }) => path[0])].map(([project_id, rings]) =>
        callTo('post', '/v1/keymgr/cloud-c/add-key-rings', {
          body: { connection, project_id, key_rings: rings.map(({ id: name }) => ({ name })) },
        }),
      ),
    namesIn: (answer) =>
      (answer as AnswerOf<'post', '/v1/keymgr/cloud-c/add-key-rings'>).key_rings.map(({ name }) => name),
  },
}
