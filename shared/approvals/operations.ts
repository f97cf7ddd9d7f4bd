import type { Route } from '../http/operation.ts'
import { Decided } from './model.ts'
import { approveRequest, refuseRequest, requestResource, withdrawRequest } from './requests.ts'
import { ruleResource } from './rules.ts'

const { on } = requestResource

/** Approval rules and requests. A request has no create route: the call that needs approval creates it. */
export const routes: readonly Route[] = [
  ...ruleResource.routes,
  ...requestResource.routes,
  on.act('approve', 'Approve Approval Request', approveRequest, Decided),
  on.act('refuse', 'Refuse Approval Request', refuseRequest, Decided),
  on.act('withdraw', 'Withdraw Approval Request', withdrawRequest),
]
