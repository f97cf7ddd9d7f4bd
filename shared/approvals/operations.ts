import type { Route } from '../http/operation.ts'
import { Decided } from './model.ts'
import { approveRequest, refuseRequest, requestResource, withdrawRequest } from './requests.ts'
import { ruleResource } from './rules.ts'

const { on } = requestResource

/** Rules on approval, and requests: the call that needs an approval makes them. */
export const routes: readonly Route[] = [
  ...ruleResource.routes,
  ...requestResource.routes,
  on.act('approve', 'Approve Approval Request', approveRequest, Decided),
  on.act('refuse', 'Refuse Approval Request', refuseRequest, Decided),
  on.act('withdraw', 'Withdraw Approval Request', withdrawRequest),
]
