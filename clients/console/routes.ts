import type { AnyComponent } from 'preact'
import { lazy as loadedLater } from 'preact-iso'
import { exec } from 'preact-iso/router'
import { NotLoaded } from './words/states.tsx'

interface PageRow {
  /** pattern of preact-iso; `:name` is a segment */
  readonly path: string
  readonly component: AnyComponent & { readonly preload: () => Promise<unknown> }
}

/** A page that is loaded when it is first opened; a page that cannot be loaded is replaced by one that states that. */
const lazy = (load: () => Promise<{ readonly default: AnyComponent }>) =>
  loadedLater(() => load().catch(() => ({ default: NotLoaded })))

/**
 * Every page. Each is loaded when it is first opened: its module's default export is
 * the page, which reads the segments of its path from `useRoute().params`.
 */
export const PAGES: readonly PageRow[] = [
  { path: '/console', component: lazy(() => import('./pages/overview.tsx')) },
  { path: '/console/go', component: lazy(() => import('./pages/go.tsx')) },
  { path: '/console/keys', component: lazy(() => import('./pages/all-keys.tsx')) },
  { path: '/console/keys/:cloud', component: lazy(() => import('./pages/keys.tsx')) },
  { path: '/console/keys/:cloud/add/:way', component: lazy(() => import('./pages/add-key.tsx')) },
  { path: '/console/keys/:cloud/:id/:tab?', component: lazy(() => import('./pages/key.tsx')) },
  { path: '/console/connections', component: lazy(() => import('./pages/connections.tsx')) },
  { path: '/console/connections/new/:service?', component: lazy(() => import('./pages/connect.tsx')) },
  { path: '/console/connections/:id', component: lazy(() => import('./pages/connection.tsx')) },
  { path: '/console/connections/:id/containers', component: lazy(() => import('./pages/connect-containers.tsx')) },
  { path: '/console/connections/:id/reads/:job', component: lazy(() => import('./pages/connect-read.tsx')) },
  { path: '/console/containers/:cloud?', component: lazy(() => import('./pages/containers.tsx')) },
  { path: '/console/containers/:cloud/add', component: lazy(() => import('./pages/add-container.tsx')) },
  { path: '/console/containers/:cloud/:id', component: lazy(() => import('./pages/container.tsx')) },
  {
    path: '/console/containers/:cloud/synchronizations/:id',
    component: lazy(() => import('./pages/synchronization.tsx')),
  },
  { path: '/console/endpoints/:protocol?', component: lazy(() => import('./pages/endpoints.tsx')) },
  { path: '/console/endpoints/:protocol/add', component: lazy(() => import('./pages/add-endpoint.tsx')) },
  { path: '/console/endpoints/:protocol/:id', component: lazy(() => import('./pages/endpoint.tsx')) },
  { path: '/console/calendar', component: lazy(() => import('./pages/calendar.tsx')) },
  { path: '/console/jobs', component: lazy(() => import('./pages/jobs.tsx')) },
  { path: '/console/jobs/add', component: lazy(() => import('./pages/add-job.tsx')) },
  { path: '/console/jobs/runs', component: lazy(() => import('./pages/runs.tsx')) },
  { path: '/console/jobs/runs/:id', component: lazy(() => import('./pages/run.tsx')) },
  { path: '/console/jobs/:id', component: lazy(() => import('./pages/job.tsx')) },
  { path: '/console/jobs/:id/edit', component: lazy(() => import('./pages/edit-job.tsx')) },
  { path: '/console/reports/:cloud?', component: lazy(() => import('./pages/reports.tsx')) },
  { path: '/console/reports/:cloud/add', component: lazy(() => import('./pages/add-report.tsx')) },
  { path: '/console/reports/:cloud/:id', component: lazy(() => import('./pages/report.tsx')) },
  { path: '/console/audit/:tab?', component: lazy(() => import('./pages/audit.tsx')) },
  { path: '/console/ciphertexts', component: lazy(() => import('./pages/ciphertexts.tsx')) },
  { path: '/console/users', component: lazy(() => import('./pages/users.tsx')) },
  { path: '/console/users/add', component: lazy(() => import('./pages/add-user.tsx')) },
  { path: '/console/users/groups', component: lazy(() => import('./pages/groups.tsx')) },
  { path: '/console/users/groups/add', component: lazy(() => import('./pages/add-group.tsx')) },
  { path: '/console/users/groups/:name', component: lazy(() => import('./pages/group.tsx')) },
  { path: '/console/users/:id', component: lazy(() => import('./pages/user.tsx')) },
  { path: '/console/administration', component: lazy(() => import('./pages/administration.tsx')) },
  { path: '/console/me', component: lazy(() => import('./pages/me.tsx')) },
  { path: '/console/administration/:resource', component: lazy(() => import('./pages/resources.tsx')) },
  { path: '/console/administration/:resource/add', component: lazy(() => import('./pages/add-resource.tsx')) },
  { path: '/console/administration/:resource/:id', component: lazy(() => import('./pages/resource.tsx')) },
]

/** The router's own matching; its types do not include the result without a match. */
const matched: (path: string, pattern: string) => object | undefined = exec

/** Starts to load the page of an address. */
export function preloadPage(path: string): void {
  void PAGES.find((page) => matched(path, page.path) !== undefined)?.component.preload()
}
