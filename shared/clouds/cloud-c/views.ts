import type { CloudCAction } from '../../cloud/containers/acl-model.ts'
import type { ViewOf } from '../../cloud/containers/acl.ts'

const OF_REPORTS: readonly CloudCAction[] = ['reportview', 'reportcreate', 'reportdelete', 'reportdownload']
const VIEWS: readonly string[] = ['view', 'reportview']

/** Any of these lets somebody see a project or a ring. */
export const CONTAINER_VIEWS = VIEWS

/** Which view goes with an action: that of keys, or that of reports. */
export const viewOf: ViewOf = (action) =>
  VIEWS.includes(action) ? [] : [OF_REPORTS.some((one) => one === action) ? 'reportview' : 'view']
