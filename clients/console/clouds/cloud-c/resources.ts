import { callTo } from '../../calls.ts'
import { described, type Choice } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { change, deletion, type ResourceRow } from '../../resources/row.ts'
import { keymgr } from '../../service.ts'
import { connectionsTo } from '../containers.ts'
import { addCloudCProject, listCloudCProjects } from './described.ts'

const AT = '/v1/keymgr/cloud-c/projects'
const PROJECT = `${AT}/{id}` as const

/** Projects that a connection sees. */
async function projectsOf({ connection = '' }: Readonly<Record<string, string>>): Promise<readonly Choice[]> {
  if (connection === '') return []
  const { projects } = await keymgr.post('/v1/keymgr/cloud-c/get-projects', { body: { connection } })
  return projects.map(({ project_id: value, name }) => ({ value, label: `${name} (${value})` }))
}

/** Projects, whose permissions hold for all of their key rings. */
export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'cloud-c-projects', title: 'Projects of cloud-c', noun: 'project' },
    about: 'Projects whose permissions hold for all of their key rings.',
    path: AT,
    item: PROJECT,
    columns: [
      ['project_id', 'Project id'],
      ['connection', 'Connection'],
      ['organization_display_name', 'Organization'],
      ['enable_success_audit_event', 'Successful calls are recorded'],
    ],
    filters: filtersOf(listCloudCProjects, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'project_id', label: 'Project id', isFirst: true },
      { name: 'connection', label: 'Connection', isFirst: true },
    ]),
    add: {
      title: 'Add a project',
      path: AT,
      fields: described(addCloudCProject, [
        { name: 'connection', label: 'Connection', choices: connectionsTo('cloud-c') },
        { name: 'project_id', label: 'Project', choices: projectsOf, dependsOn: ['connection'] },
      ]),
    },
    actions: [
      change(PROJECT, 'project', [
        { name: 'connection', label: 'Connection', choices: connectionsTo('cloud-c') },
        { name: 'enable_success_audit_event', label: 'Successful calls are recorded', kind: 'flag' },
      ]),
      {
        ...{ name: 'permissions', title: 'Permissions', submit: 'Save', done: 'The permissions are changed.' },
        about: 'Replaces who may do what with the keys of the project.',
        fieldsFor: ({ acls }) => [
          {
            ...{ name: 'acls', label: 'Permissions', kind: 'json', isRequired: true },
            ...{ initial: JSON.stringify(acls ?? [], undefined, 2) },
            hint: 'A list of objects with user_id or group, permit, and actions.',
          },
        ],
        applies: () => true,
        call: ({ id }, body) => callTo('post', `${PROJECT}/update-acls`, { path: { id: String(id) }, body }),
      },
      deletion(PROJECT, 'project', {
        about: 'Removes the record of the project with its permissions. The project itself stays.',
        referring: [
          {
            ...{ kind: 'key ring', path: '/v1/keymgr/cloud-c/key-rings', filter: 'project_id', by: 'project_id' },
            effect: 'stay, without the permissions of the project',
          },
        ],
      }),
    ],
    empty: 'No project is known. One is needed for permissions on all of its key rings.',
  },
]
