import '../../shared/wiring.ts'
import { routes as approvalRoutes } from '../../shared/approvals/operations.ts'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { settingsRoutes } from '../../shared/cloud/settings/operations.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { routes as emergencyRoutes } from '../../shared/emergency/operations.ts'
import { serve } from '../../shared/identity/serve.ts'
import { routes as levelRoutes } from '../../shared/levels/operations.ts'

export const routes = [
  ...settingsRoutes(CLOUDS.filter(isOffered)),
  ...emergencyRoutes,
  ...approvalRoutes,
  ...levelRoutes,
]
export const handler = serve(routes)
