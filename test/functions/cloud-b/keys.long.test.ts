/** These parts share one deployment: each registers its tests when it is imported. */
import './keys/creation.ts'
import './keys/lists.ts'
import './keys/versions.ts'
import './keys/visibility.ts'
