/** These parts share one deployment: each registers its tests when it is imported. */
import './key-stores/creation.ts'
import './key-stores/linking.ts'
import './key-stores/health.ts'
import './key-stores/changes.ts'
import './key-stores/clusters.ts'
import './key-stores/synchronization.ts'
