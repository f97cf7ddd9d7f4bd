import '../../shared/wiring.ts'
import { serve } from '../../shared/identity/serve.ts'
import { routes as ofAlarms } from '../../shared/audit/alarms/operations.ts'
import { forwardingRoutes as ofForwarding } from '../../shared/audit/forwarding/operations.ts'
import { propertyRoutes as ofProperties } from '../../shared/audit/properties/operations.ts'
import { routes as ofRecords } from '../../shared/audit/operations.ts'
import { credentialRoutes as ofPlatform } from '../../shared/audit-exports/credentials/operations.ts'
import { routes as ofMetrics } from '../../shared/metrics/operations.ts'
import { scrapeRoutes as ofScrapers, withScrapers } from '../../shared/metrics/scrape/credentials.ts'
import { routes as ofSystem } from '../../shared/audit/system/operations.ts'

export const routes = [
  ...ofRecords,
  ...ofAlarms,
  ...ofForwarding,
  ...ofSystem,
  ...ofMetrics,
  ...ofScrapers,
  ...ofPlatform,
  ...ofProperties,
]
export const handler = serve(routes, withScrapers)
