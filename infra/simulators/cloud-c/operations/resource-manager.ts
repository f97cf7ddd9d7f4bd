import { onlyKnown, textAt } from '../body.ts'
import type { Call, Route } from '../call.ts'
import type { SimulatedProject } from '../directory.ts'
import { denied, invalid, notFound } from '../errors.ts'
import { inOrder } from '../../toolkit/pages.ts'
import { pageOf, pageSize } from '../pages.ts'
import { ROLES } from '../roles.ts'

const SEE = 'resourcemanager.projects.get'
const PROJECT_PAGES = { standard: 500, most: 500 }
const ROLE_PAGES = { standard: 300, most: 2_000 }

const describeProject = ({ id, number, displayName, parent }: SimulatedProject): object => ({
  name: `projects/${number}`,
  ...(parent !== '' && { parent }),
  projectId: id,
  state: 'ACTIVE',
  ...(displayName !== '' && { displayName }),
  etag: `W/"${number}"`,
})

/** @throws ApiError INVALID_ARGUMENT for anything but one id, the only supported query */
function wantedId(query: string): string | undefined {
  if (query === '') return undefined
  const [, id] = /^(?:id|projectId)[:=]"?([a-z0-9:.-]+)"?$/.exec(query) ?? []
  if (id === undefined) throw invalid(`The query ${JSON.stringify(query)} is not simulated.`)
  return id
}

function searchProjects(call: Call): object {
  const asked = call.query.get('query') ?? ''
  const id = wantedId(asked)
  const seen = new Map(
    call.directory
      .projects()
      .filter((project) => (id ?? project.id) === project.id && call.may(SEE, `projects/${project.id}`))
      .map((project) => [project.id, project]),
  )
  const order = [...seen.keys()]
  const { names, next } = pageOf(
    call,
    {
      size: pageSize(call.query.get('pageSize') ?? undefined, PROJECT_PAGES),
      token: call.query.get('pageToken') ?? undefined,
      list: `projects ${asked}`,
    },
    inOrder(order),
  )
  const projects = names.flatMap((name) => seen.get(name) ?? []).map(describeProject)
  return { ...(projects.length > 0 && { projects }), ...(next !== undefined && { nextPageToken: next }) }
}

function grantableRoles(call: Call): object {
  const body = onlyKnown(call.body, ['fullResourceName', 'view', 'pageSize', 'pageToken'])
  const full = textAt(body, 'fullResourceName') ?? ''
  const [, project] = /^\/\/cloudresourcemanager\.googleapis\.com\/projects\/([^/]+)$/.exec(full) ?? []
  if (project === undefined) throw invalid(`The resource ${JSON.stringify(full)} is not simulated.`)
  call.require(SEE, `projects/${project}`)
  const rows = new Map(ROLES.map((row) => [row.name, row]))
  const order = [...rows.keys()]
  const { names, next } = pageOf(
    call,
    { size: pageSize(body.pageSize, ROLE_PAGES), token: textAt(body, 'pageToken'), list: `roles ${full}` },
    inOrder(order),
  )
  const roles = names
    .flatMap((name) => rows.get(name) ?? [])
    .map(({ name, title }) => ({ name, title, description: `${title}.` }))
  return { ...(roles.length > 0 && { roles }), ...(next !== undefined && { nextPageToken: next }) }
}

const view = { service: 'resourcemanager', methods: ['GET'], quota: 'none' } as const

export const resourceManagerRoutes: readonly Route[] = [
  { ...view, operation: 'SearchProjects', path: '/v3/projects:search', run: searchProjects },
  {
    ...view,
    operation: 'GetProject',
    path: '/v3/projects/*',
    permission: SEE,
    run: ({ directory, name }) => {
      const project = directory.project(name.slice('projects/'.length))
      if (project === undefined) throw denied(SEE, name)
      return describeProject(project)
    },
  },
  {
    ...view,
    operation: 'GetFolder',
    path: '/v3/folders/*',
    permission: 'resourcemanager.folders.get',
    run: ({ directory, name }) => {
      const folder = directory.folders.find((each) => each.name === name)
      if (folder === undefined) throw notFound(name)
      return { ...folder, state: 'ACTIVE' }
    },
  },
  {
    ...view,
    operation: 'GetOrganization',
    path: '/v3/organizations/*',
    permission: 'resourcemanager.organizations.get',
    run: ({ directory, name }) => {
      const organization = directory.organizations.find((each) => each.name === name)
      if (organization === undefined) throw notFound(name)
      return { name, displayName: organization.displayName, state: 'ACTIVE' }
    },
  },
  {
    operation: 'QueryGrantableRoles',
    service: 'iam',
    methods: ['POST'],
    path: '/v1/roles:queryGrantableRoles',
    quota: 'none',
    run: grantableRoles,
  },
]
