import { defineRoute, type Routes } from '../http/route';
import type { ApiKey } from '../state/keys';
import { createSuccess } from './common';

export const status = {
  'GET /api/v1/status': defineRoute({
    handle: (call) => {
      // Only public pages can be read without a key.
      const key = call.key as ApiKey;
      const { allow_get, allow_edit, allow_delete, allow_task, allow_page } = key.permissions;
      const { allow_import, allow_export, allow_log } = key.permissions;
      return createSuccess({
        current_code: 200,
        api_key: { id: key.id, status: key.status, created_at: key.createdAt },
        permissions: {
          read: allow_get,
          create: allow_edit,
          update: allow_edit,
          delete: allow_delete,
          tasks: allow_task,
          pages: allow_page,
          imports: allow_import,
          exports: allow_export,
          logs: allow_log,
          // No permission of the key controls these two.
          pdf_forms: true,
          pdf_pages: true,
        },
        per_minute_limit: key.limits.minute.status,
        per_day_limit: key.limits.day.status,
      });
    },
  }),
} satisfies Routes;
